/** The command line, from arguments to exit code, and the table of commands. */

import { ENVIRONMENT, registerSecrets } from '../run/file/environment.ts';
import { wrapped } from '../run/report/text.ts';
import { type ConverterError, ERROR_CODES } from '../support/errors.ts';
import { didYouMean } from '../support/nearest.ts';
import {
  type CommandRow,
  columns,
  errorFields,
  errorToReport,
  type Io,
  usageError,
} from './command.ts';

/** Every command by name, in the groups of the README. The file of a command is loaded when it is called. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'First steps': {
    demo: {
      describe: 'convert the sample range of the emulator: a first try without an account',
      load: async () => (await import('./demo.ts')).demoCommand,
    },
    init: {
      describe: 'write a pipeline file with comments, after some questions',
      load: async () => (await import('./init.ts')).initCommand,
    },
    doctor: {
      describe: 'check settings, login and folders, and print what to do',
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
    survey: {
      describe: 'find out what the data means, with pictures of what is open',
      load: async () => (await import('./survey.ts')).surveyCommand,
    },
    completion: {
      describe: 'print the completion of commands, options and pipeline files for a shell',
      load: async () => (await import('./completion.ts')).completionCommand(COMMANDS),
    },
  },
  Convert: {
    run: {
      describe: 'convert the articles of a pipeline to GLB files',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('run'),
    },
    fetch: {
      describe: 'first half of run: fetch all data of the articles into the cache',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('fetch'),
    },
    build: {
      describe: 'second half of run: convert the data in the cache, without a network',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('build'),
    },
    worker: {
      describe: 'work for runs of a pipeline that divide their work over a queue',
      load: async () => (await import('./worker.ts')).workerCommand,
    },
    cancel: {
      describe: 'end the run of a pipeline that workers do, from any machine',
      load: async () => (await import('./cancel.ts')).cancelCommand,
    },
    convert: {
      describe: 'convert one article into one file',
      load: async () => (await import('./convert.ts')).convertCommand,
    },
  },
  'Look and explain': {
    catalogue: {
      describe: 'list and search the catalogue, show an article',
      load: async () => (await import('./catalogue.ts')).catalogueCommand,
    },
    explain: {
      describe: 'show why an article was built or failed, its material rules and its losses',
      load: async () => (await import('./explain.ts')).explainCommand,
    },
    inspect: {
      describe: 'show what a GLB file or an article consists of, and which profiles it fits',
      load: async () => (await import('./inspect.ts')).inspectCommand,
    },
    view: {
      describe: 'show published articles with pictures and in 3D, in a browser',
      load: async () => (await import('./view.ts')).viewCommand,
    },
  },
  Deliver: {
    deliver: {
      describe: 'make pictures and other files of what a pipeline has published',
      load: async () => (await import('./deliver.ts')).deliverCommand,
    },
    assets: {
      describe: 'serve models and pictures of any configuration, made when they are asked for',
      load: async () => (await import('./assets.ts')).assetsCommand,
    },
    images: {
      describe: 'the former name of assets, which goes with the next version',
      load: async () => (await import('./assets.ts')).imagesCommand,
    },
    render: {
      describe: 'take pictures of a GLB file, or of all published articles',
      load: async () => (await import('./render.ts')).renderCommand,
    },
  },
  'Published files': {
    verify: {
      describe: 'compare every published GLB with its hash in the manifest',
      load: async () => (await import('./output-commands.ts')).verifyCommand,
    },
    prune: {
      describe: 'remove files that no manifest line refers to, and old reports',
      load: async () => (await import('./output-commands.ts')).pruneCommand,
    },
  },
  'Without the service': {
    serve: {
      describe: 'start the emulator of the service on this machine',
      load: async () => (await import('./serve.ts')).serveCommand,
    },
    record: {
      describe: 'record the responses that a run needs, to replay it without the service',
      load: async () => (await import('./record.ts')).recordCommand,
    },
  },
  'Carts, links and tokens': {
    inbox: {
      describe: 'receive the cart posts of the planning frontend',
      load: async () => (await import('./gateway-commands.ts')).inboxCommand,
    },
    relay: {
      describe: 'receive logins and answer with session tokens',
      load: async () => (await import('./gateway-commands.ts')).relayCommand,
    },
    'migrate-url': {
      describe: 'convert an address of v1 or v2 to v2.5 and list the differences',
      load: async () => (await import('./migrate-url.ts')).migrateUrlCommand,
    },
  },
};

const COMMANDS: Readonly<Record<string, CommandRow>> = Object.assign({}, ...Object.values(GROUPS));

const EXIT_CODES = [
  ['0', 'all converted'],
  ['1', 'some articles failed'],
  ['2', 'wrong usage, pipeline file or list; nothing selected'],
  ['3', 'cannot continue: service, login, disk'],
  ['4', 'a gate refused the result'],
  ['130', 'interrupted or out of time; the same command continues'],
] as const;

/**
 * Runs one command. An error is printed as a sentence and an action; only an internal error is printed with its stack.
 *
 * @param words - Arguments without node and script.
 * @param version - Version of the program, for `--version`.
 * @returns The exit code, see {@link EXIT_CODES}.
 * @see D-747.
 */
export async function runCommandLine(
  words: readonly string[],
  io: Io,
  version: string,
): Promise<number> {
  registerSecrets(io.env);
  try {
    return await dispatch(words, io, version);
  } catch (thrown) {
    const error = errorToReport(thrown, io);
    const fields = { ...errorFields(error), help: helpOf(error, words[0]) };
    if (isJsonLog(words, io)) {
      const { createLogger } = await import('../support/log.ts');
      const sink = { write: io.printError };
      (await createLogger({ format: 'json', sink, now: io.now })).error('stopped', fields);
    } else {
      const { message, help, stack } = fields;
      const lines = [
        ...`btg2gltf: ${message}`.split('\n').flatMap((line) => wrapped(line, io.columns, 2)),
        ...wrapped(`  → ${help}`, io.columns, 4),
        ...(stack === undefined ? [] : [stack]),
      ];
      io.printError(lines.map((line) => `${line}\n`).join(''));
    }
    return fields.exit;
  }
}

/** The help of a command is shorter than that of the program. */
function helpOf({ code, help, isGeneralHelp }: ConverterError, name = ''): string {
  const isReplaced = code === 'USAGE' && isGeneralHelp && Object.hasOwn(COMMANDS, name);
  return isReplaced ? `for its arguments and options, run btg2gltf ${name} --help` : help;
}

/** When standard error is no terminal, each of its lines is JSON, unless `--log-format` requests text. */
function isJsonLog(words: readonly string[], { terminal }: Io): boolean {
  const [, format] = /\n--log-format[=\n](json|pretty)\n/.exec(`\n${words.join('\n')}\n`) ?? [];
  return format === undefined ? terminal === undefined : format === 'json';
}

async function dispatch(words: readonly string[], io: Io, version: string): Promise<number> {
  const [name, ...rest] = words;
  if (name === '--version' || name === '-V') {
    io.print(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.print(helpText(io.columns));
    return name === undefined ? ERROR_CODES.USAGE.exit : 0;
  }
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
  if (row === undefined) {
    const hint = didYouMean(name, Object.keys(COMMANDS));
    throw usageError(`there is no command "${name}"${hint}`, 'btg2gltf --help lists the commands');
  }
  const { readArguments } = await import('./arguments.ts');
  const command = await row.load();
  const parsed = await readArguments(
    { name, describe: row.describe, command, columns: io.columns },
    rest,
  );
  if ('args' in parsed) return command.run(parsed.args, io);
  io.print(`${parsed.help}\n`);
  return 0;
}

/** An example that runs without an account. */
const EXAMPLE =
  'btg2gltf convert --emulator --manufacturer FJEL --program LINEA --basearticlenumber LN-M --output desk.glb';

function helpText(characters: number): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const commands = Object.entries(GROUPS).flatMap(([group, rows]) => {
    const lines = Object.entries(rows).map(([name, row]) => [name, row.describe] as const);
    return [group, ...columns(lines, width, characters), ''];
  });
  const variables = Object.entries(ENVIRONMENT).map(([name, row]) => [name, row.means] as const);
  return [
    ...wrapped(
      'btg2gltf converts configurable furniture from its catalogue service to glTF, each file once.',
      characters,
    ),
    '',
    'Usage: btg2gltf COMMAND [OPTIONS]',
    '',
    ...commands,
    ...wrapped(
      'Run btg2gltf COMMAND --help (-h) for the options of a command, btg2gltf --version (-V) for the version.',
      characters,
    ),
    '',
    'Example',
    `  ${EXAMPLE}`,
    '',
    'Environment',
    ...columns(variables, undefined, characters),
    '',
    'Exit codes',
    ...columns(EXIT_CODES, undefined, characters),
    '',
  ].join('\n');
}
