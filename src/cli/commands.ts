/**
 * Commands: the table of the command line. A command's own file is loaded when it is called.
 */
import type { Command } from './command.ts';

/** How a command is introduced, and where it is. */
interface CommandRow {
  /** After the program's name. */
  usage: string;
  describe: string;
  load(): Promise<Command>;
}

/** Every command by name. */
export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  run: {
    usage: 'run PIPELINE.yaml',
    describe: 'the main job: service to GLBs',
    load: async () => (await import('./run.ts')).runCommand,
  },
  convert: {
    usage: 'convert --manufacturer M --program P --basearticlenumber N --output FILE.glb',
    describe: 'convert one article into one file',
    load: async () => (await import('./convert.ts')).convertCommand,
  },
  fetch: {
    usage: 'fetch PIPELINE.yaml',
    describe: 'first half of run: service to snapshots in the cache',
    load: async () => (await import('./fetch.ts')).fetchCommand,
  },
  build: {
    usage: 'build PIPELINE.yaml',
    describe: 'second half of run: snapshots to GLBs, without a network',
    load: async () => (await import('./build.ts')).buildCommand,
  },
  serve: {
    usage: 'serve',
    describe: 'the emulator of the service on this machine',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  record: {
    usage: 'record PIPELINE.yaml --to DIR',
    describe: 'record what a run needs of the service, to replay it without one',
    load: async () => (await import('./record.ts')).recordCommand,
  },
  catalogue: {
    usage: 'catalogue ls [NODE] | search QUERY --manufacturer M | show ARTICLE',
    describe: 'look around in the catalogue',
    load: async () => (await import('./catalogue.ts')).catalogueCommand,
  },
  inbox: {
    usage: 'inbox --store DIR',
    describe: 'receive the cart posts of the planning frontend',
    load: async () => (await import('./inbox.ts')).inboxCommand,
  },
  relay: {
    usage: 'relay',
    describe: 'turn posted logins into session tokens',
    load: async () => (await import('./relay.ts')).relayCommand,
  },
  'migrate-url': {
    usage: 'migrate-url URL',
    describe: 'an address of v1 or v2 as one of v2.5, and what is different',
    load: async () => (await import('./migrate-url.ts')).migrateUrlCommand,
  },
  explain: {
    usage: 'explain ARTICLE --pipeline PIPELINE.yaml',
    describe: 'why an article was built, which material rules fired, what was lost',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  prune: {
    usage: 'prune PIPELINE.yaml|FOLDER [--keep-runs N] [--yes]',
    describe: 'drop what no manifest line refers to, and old reports',
    load: async () => (await import('./prune.ts')).pruneCommand,
  },
  verify: {
    usage: 'verify PIPELINE.yaml|FOLDER',
    describe: 'hash every published GLB again and compare',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
};
