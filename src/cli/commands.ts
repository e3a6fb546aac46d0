/** The table of commands. The file of a command is loaded when it is called. */
import type { Command } from './command.ts';

interface CommandRow {
  /** After the name of the program. */
  usage: string;
  describe: string;
  load(): Promise<Command>;
}

/** Every command by name. */
export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  run: {
    usage: 'run PIPELINE.yaml',
    describe: 'convert the articles of a pipeline to GLB files',
    load: async () => (await import('./run-commands.ts')).runCommand,
  },
  convert: {
    usage: 'convert --manufacturer M --program P --basearticlenumber N --output FILE.glb',
    describe: 'convert one article into one file',
    load: async () => (await import('./convert.ts')).convertCommand,
  },
  fetch: {
    usage: 'fetch PIPELINE.yaml',
    describe: 'first half of run: fetch all data of the articles into the cache',
    load: async () => (await import('./run-commands.ts')).fetchCommand,
  },
  build: {
    usage: 'build PIPELINE.yaml',
    describe: 'second half of run: convert the data in the cache, without a network',
    load: async () => (await import('./run-commands.ts')).buildCommand,
  },
  serve: {
    usage: 'serve',
    describe: 'start the emulator of the service on this machine',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  record: {
    usage: 'record PIPELINE.yaml --to DIR',
    describe: 'record the responses that a run needs, to replay it without the service',
    load: async () => (await import('./record.ts')).recordCommand,
  },
  catalogue: {
    usage: 'catalogue ls [NODE] | search QUERY --manufacturer M | show ARTICLE',
    describe: 'list and search the catalogue, show an article',
    load: async () => (await import('./catalogue.ts')).catalogueCommand,
  },
  inbox: {
    usage: 'inbox --store DIR',
    describe: 'receive the cart posts of the planning frontend',
    load: async () => (await import('./inbox.ts')).inboxCommand,
  },
  relay: {
    usage: 'relay',
    describe: 'receive logins and answer with session tokens',
    load: async () => (await import('./relay.ts')).relayCommand,
  },
  'migrate-url': {
    usage: 'migrate-url URL',
    describe: 'convert an address of v1 or v2 to v2.5 and list the differences',
    load: async () => (await import('./migrate-url.ts')).migrateUrlCommand,
  },
  explain: {
    usage: 'explain ARTICLE --pipeline PIPELINE.yaml',
    describe: 'show why an article was built, its material rules and its losses',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  prune: {
    usage: 'prune PIPELINE.yaml|FOLDER [--keep-runs N] [--yes]',
    describe: 'remove files that no manifest line refers to, and old reports',
    load: async () => (await import('./output-commands.ts')).pruneCommand,
  },
  verify: {
    usage: 'verify PIPELINE.yaml|FOLDER',
    describe: 'compare every published GLB with its hash in the manifest',
    load: async () => (await import('./output-commands.ts')).verifyCommand,
  },
};
