/** `btg2gltf migrate-url URL`: converts an address of v1 or v2 to v2.5 and lists the differences. */

import { redact, registerSecret } from '../support/redact.ts';
import { visibleJson, visibleLines } from '../support/visible.ts';
import { type Command, textOf } from './command.ts';

/** Secret parameters, also in an address within the address. */
const SECRET = /(?:[?&;#]|^)(?:token|password|appkey)=([^&#;\s]+)/gi;

/** The command. */
export const migrateUrlCommand: Command = {
  positionals: [{ name: 'URL', describe: 'the address from your page, in quotes', required: true }],
  options: {
    'frontend-url': {
      type: 'string',
      describe: 'new base address of the planning frontend [default: BTG2GLTF_FRONTEND_URL]',
    },
    json: { type: 'boolean', describe: 'print JSON' },
  },
  examples: [
    "btg2gltf migrate-url 'https://old.example/configurator.php?manuid=ACME&seriesid=DESK' --frontend-url https://plan.example",
  ],
  async run(args, io) {
    const { migrate } = await import('../web/migrate/migrate.ts');
    const url = textOf(args, 'URL')!;
    registerSecretsOf(url);
    const frontendUrl = textOf(args, 'frontend-url') ?? io.env.BTG2GLTF_FRONTEND_URL ?? '';
    const migration = migrate(url, frontendUrl === '' ? {} : { frontendUrl });
    if (args.json) {
      io.print(visibleJson(`${JSON.stringify(migration, masked)}\n`));
      return 0;
    }
    const { from, before, after, changes, hints } = migration;
    const isSame = changes.length === 0;
    const lines = [
      '',
      `  before  ${before}`,
      `  after   ${isSame ? '(the same)' : after}`,
      '',
      isSame ? '  This is a v2.5 address: nothing changes.' : `  Changed, from ${from} to v2.5:`,
      ...changes.map((change) => `    ${change.before} → ${change.after}  (${change.why})`),
      ...(hints.length === 0 ? [] : ['', '  To check:']),
      ...hints.map(({ code, message }) => `    ${code}: ${message}`),
      '',
      '',
    ];
    io.print(visibleLines(lines.map(redact)));
    return 0;
  },
};

function registerSecretsOf(url: string): void {
  const nested = url.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  for (const text of [url, nested]) {
    for (const [, value = ''] of text.matchAll(SECRET)) {
      registerSecret(value);
      if (/^(?:[^%]|%[0-7][0-9a-f])*$/i.test(value)) registerSecret(decodeURIComponent(value));
    }
  }
}

function masked(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? redact(value) : value;
}
