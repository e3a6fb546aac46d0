/** The environment variables that the program reads, one row each. */
import { ConverterError } from '../../support/errors.ts';
import { registerSecret } from '../../support/redact.ts';

/** The addresses of a service whose variables are not set, where no service is needed. */
export const UNSET_ADDRESS = 'http://service-variable-unset.invalid';

/** Environment variables, passed in by the command line. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that the program reads; the value of a secret one is redacted everywhere, an address if it has credentials. */
export const ENVIRONMENT = {
  BTG2GLTF_AUTH_URL: { secret: false, means: 'REST base address of the authentication server' },
  BTG2GLTF_BASE_URL: { secret: false, means: 'base address of the API' },
  BTG2GLTF_FRONTEND_URL: { secret: false, means: 'base address of the planning frontend' },
  BTG2GLTF_USERNAME: { secret: false, means: 'user name' },
  BTG2GLTF_PASSWORD: { secret: true, means: 'password' },
  BTG2GLTF_APP_KEY: { secret: true, means: 'application key, if you have one' },
  BTG2GLTF_TOKEN: { secret: true, means: 'a session token, instead of user name and password' },
  BTG2GLTF_INBOX_SECRET: { secret: true, means: 'with it a page of any origin may post carts' },
  BTG2GLTF_IMAGES_TOKEN: { secret: true, means: 'then image requests need it as their token' },
  BTG2GLTF_ASSETS_SECRET: { secret: true, means: 'then addresses of assets must be signed' },
  BTG2GLTF_QUEUE_URL: { secret: 'credentials', means: 'address of the queue of --executor bullmq' },
  AWS_ACCESS_KEY_ID: { secret: true, means: 'of a store in S3' },
  AWS_SECRET_ACCESS_KEY: { secret: true, means: 'of a store in S3' },
  AWS_SESSION_TOKEN: { secret: true, means: 'of a store in S3, with temporary credentials' },
  AWS_REGION: { secret: false, means: 'region of the bucket' },
  AWS_ENDPOINT_URL_S3: { secret: false, means: 'address of a store that speaks S3, not of AWS' },
  BTG2GLTF_BROWSER: { secret: false, means: 'program of Chrome or Chromium for pictures' },
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
  const expected = `${unset.length > 1 ? 'values' : 'a value'}, or a value of BTG2GLTF_TOKEN instead`;
  const message = `${unset.join(' and ')}: expected ${expected}, received none`;
  throw new ConverterError('PIPELINE_VARIABLE_UNSET', message);
}
