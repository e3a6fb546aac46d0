/** The environment variables that the program reads, one row each. */
import { ConverterError } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';

/** The addresses of a service whose variables are not set, where no service is needed. */
export const UNSET_ADDRESS = 'http://service-variable-unset.invalid';

/** Environment variables, passed in by the command line. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that the program reads; the value of a secret one is redacted everywhere, an address if it has credentials. */
export const ENVIRONMENT = {
  BTG2GLTF_AUTH_URL: { secret: false, means: 'address of the authentication server' },
  BTG2GLTF_BASE_URL: { secret: false, means: 'address of the service' },
  BTG2GLTF_FRONTEND_URL: { secret: false, means: 'address of the planning web page' },
  BTG2GLTF_USERNAME: { secret: false, means: 'user name' },
  BTG2GLTF_PASSWORD: { secret: true, means: 'password' },
  BTG2GLTF_APP_KEY: { secret: true, means: 'application key, if you have one' },
  BTG2GLTF_TOKEN: { secret: true, means: 'a session token, instead of user name and password' },
  BTG2GLTF_INBOX_SECRET: {
    secret: true,
    means: 'inbox accepts carts from each web page that sends this secret',
  },
  BTG2GLTF_IMAGES_TOKEN: {
    secret: true,
    means: 'if set, requests of ERP systems for pictures need this token',
  },
  BTG2GLTF_ASSETS_SECRET: {
    secret: true,
    means: 'if set, assets answers only requests whose address was signed with this secret',
  },
  BTG2GLTF_QUEUE_URL: {
    secret: 'credentials',
    means: 'address of the queue, if several machines share the work (run --executor bullmq)',
  },
  AWS_ACCESS_KEY_ID: { secret: true, means: 'account for storage in S3' },
  AWS_SECRET_ACCESS_KEY: { secret: true, means: 'secret of this account' },
  AWS_SESSION_TOKEN: { secret: true, means: 'token of temporary credentials' },
  AWS_REGION: { secret: false, means: 'region of the bucket' },
  AWS_ENDPOINT_URL_S3: { secret: false, means: 'address of S3 storage that is not at AWS' },
  BTG2GLTF_BROWSER: { secret: false, means: 'path of Chrome or Chromium, for pictures' },
} as const satisfies Record<string, { secret: boolean | 'credentials'; means: string }>;

/** Registers the value of every secret variable for redaction, before anything can be printed. @see D-742. */
export function registerSecrets(env: Environment): void {
  for (const [name, { secret }] of Object.entries(ENVIRONMENT)) {
    const value = env[name] ?? '';
    if (secret === true || (secret === 'credentials' && !isPlainAddress(value)))
      registerSecret(value);
  }
}

/** Whether a text is an address that messages may show: without user, password and parameters. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { host, username, password, search, hash } = new URL(text);
  return host !== '' && username + password + search + hash === '';
}

/** Reads the token if one is set, else user name and password. @throws `PIPELINE_VARIABLE_UNSET` naming the variables. */
export function readCredentials(env: Environment) {
  const { BTG2GLTF_TOKEN: token, BTG2GLTF_APP_KEY: appKey } = env;
  const { BTG2GLTF_USERNAME: username, BTG2GLTF_PASSWORD: password } = env;
  if (token) return { token };
  if (username && password) return { username, password, ...(appKey && { appKey }) };
  const unset = (['BTG2GLTF_USERNAME', 'BTG2GLTF_PASSWORD'] as const).filter((name) => !env[name]);
  const notSet = `${unset.join(' and ')} ${unset.length > 1 ? 'are' : 'is'} not set`;
  const message = `${notSet}, nor is BTG2GLTF_TOKEN, which would take their place`;
  throw new ConverterError('PIPELINE_VARIABLE_UNSET', message);
}
