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
  exampleLines,
  type Io,
  usageError,
} from './command.ts';

/** Every command by name, in the groups of the README. The file of a command is loaded when it is called. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'First steps': {
    demo: {
      describe: 'convert sample furniture: a first try, without an account',
      load: async () => (await import('./demo.ts')).demoCommand,
    },
    init: {
      describe: 'write a pipeline file, after some questions',
      load: async () => (await import('./init.ts')).initCommand,
    },
    doctor: {
      describe: 'check settings, login and folders, and print what to do',
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
    survey: {
      describe:
        'find places where the data of the service can have more than one meaning, show a picture of each meaning, and ask you which picture is right',
      load: async () => (await import('./survey.ts')).surveyCommand,
    },
    completion: {
      describe: 'print a script for a shell, which then completes commands and options',
      load: async () => (await import('./completion.ts')).completionCommand(COMMANDS),
    },
  },
  Convert: {
    run: {
      describe: 'convert the articles of a pipeline file to GLB files',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('run'),
    },
    fetch: {
      describe: 'first half of run: fetch the data of the articles into the cache',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('fetch'),
    },
    build: {
      describe: 'second half of run: convert the data in the cache, without a network',
      load: async () => (await import('./run-commands.ts')).pipelineCommand('build'),
    },
    worker: {
      describe: 'do a part of the work of runs on several machines',
      load: async () => (await import('./worker.ts')).workerCommand,
    },
    cancel: {
      describe: 'stop a run on several machines',
      load: async () => (await import('./cancel.ts')).cancelCommand,
    },
    convert: {
      describe: 'convert one article into one file',
      load: async () => (await import('./convert.ts')).convertCommand,
    },
  },
  'Look and explain': {
    catalogue: {
      describe: 'list and search the catalogue of the service, show an article',
      load: async () => (await import('./catalogue.ts')).catalogueCommand,
    },
    explain: {
      describe: 'show why an article was converted or failed, and what glTF cannot express',
      load: async () => (await import('./explain.ts')).explainCommand,
    },
    inspect: {
      describe: 'show what a GLB file or an article consists of, and for which uses it fits',
      load: async () => (await import('./inspect.ts')).inspectCommand,
    },
    view: {
      describe: 'show published articles with pictures and in 3D, in a browser',
      load: async () => (await import('./view.ts')).viewCommand,
    },
  },
  Deliver: {
    deliver: {
      describe: 'make pictures and other files of published articles, or of any GLB file',
      load: async () => (await import('./deliver.ts')).deliverCommand,
    },
    assets: {
      describe: 'serve models and pictures of any configuration over HTTP, made on demand',
      load: async () => (await import('./assets.ts')).assetsCommand,
    },
    images: {
      describe: 'the same as assets; this old name will be removed, so use assets',
      load: async () => (await import('./assets.ts')).imagesCommand,
    },
    render: {
      describe: 'take pictures of GLB files, or of all published articles',
      load: async () => (await import('./render.ts')).renderCommand,
    },
  },
  'Published files': {
    verify: {
      describe: 'check that all published files are there and unchanged',
      load: async () => (await import('./output-commands.ts')).verifyCommand,
    },
    prune: {
      describe: 'remove files that are no longer used, and old reports',
      load: async () => (await import('./output-commands.ts')).pruneCommand,
    },
  },
  'Without the service': {
    serve: {
      describe: 'start an emulator of the service on this machine, with a planning page',
      load: async () => (await import('./serve.ts')).serveCommand,
    },
    record: {
      describe: 'save the responses of the service, to run later without it',
      load: async () => (await import('./record.ts')).recordCommand,
    },
  },
  'Carts, links and tokens': {
    inbox: {
      describe: 'receive carts of the planning web page, and store them',
      load: async () => (await import('./gateway-commands.ts')).inboxCommand,
    },
    relay: {
      describe:
        'start a server that logs in for web pages: it takes a user name and password, and answers with a token',
      load: async () => (await import('./gateway-commands.ts')).relayCommand,
    },
    'migrate-url': {
      describe:
        'change a link of version 1 or 2 of the planning page so that it works with version 2.5',
      load: async () => (await import('./migrate-url.ts')).migrateUrlCommand,
    },
  },
};

const COMMANDS: Readonly<Record<string, CommandRow>> = Object.assign({}, ...Object.values(GROUPS));

const EXIT_CODES = [
  ['0', 'success'],
  ['1', 'some articles or files failed'],
  ['2', 'something is wrong with the command, the pipeline file or a list'],
  ['3', 'cannot continue, because of the service, the login or the disk'],
  ['4', 'a check of the result refused it (section "gates" of the pipeline file)'],
  ['130', 'interrupted, or out of time; the same command continues the work'],
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
      const [first, ...others] = `btg2gltf: ${message}`.split('\n');
      const lines = [
        ...wrapped(first!, io.columns, others.length === 0 ? 2 : 4),
        ...others.flatMap((line) => wrapped(`  ${line}`, io.columns, 4)),
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
      'btg2gltf converts configurable furniture of a catalogue service to glTF files (.glb), for web shops, AR apps and ERP systems: one file for each configuration, which is an article with chosen values, such as a desk in oak.',
      characters,
    ),
    '',
    ...wrapped(
      'A pipeline file (YAML) says which articles are converted, from which service, and where the files go; btg2gltf init writes one.',
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
    ...exampleLines(EXAMPLE, characters),
    '',
    'Environment variables',
    ...columns(variables, undefined, characters),
    '',
    'Exit codes',
    ...columns(EXIT_CODES, undefined, characters),
    '',
  ].join('\n');
}
