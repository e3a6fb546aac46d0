/** `btg2gltf completion bash|zsh`: a script with which a shell completes commands, options and pipeline files. */
import { type Command, type CommandRow, textOf, usageError } from './command.ts';

interface Loaded extends Required<Pick<Command, 'options'>> {
  name: string;
  describe: string;
}

const HELP = { type: 'boolean', describe: 'show this help' } as const;

/** Creates the command, which completes all other commands. */
export function completionCommand(commands: Readonly<Record<string, CommandRow>>): Command {
  return {
    positionals: [{ name: 'bash|zsh', describe: 'the shell', required: true }],
    examples: [
      'eval "$(btg2gltf completion bash)"   # in ~/.bashrc',
      'eval "$(btg2gltf completion zsh)"    # in ~/.zshrc, after compinit',
    ],
    async run(args, io) {
      const shell = textOf(args, 'bash|zsh')!;
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined)
        throw usageError(`completion: expected bash or zsh, received "${shell}"`);
      const loaded = Object.entries(commands).map(async ([name, { describe, load }]) => {
        const { options } = await load();
        return { name, describe, options: { ...options, help: HELP } };
      });
      io.print(script(await Promise.all(loaded)));
      return 0;
    },
  };
}

const SCRIPTS: Readonly<Record<string, (commands: readonly Loaded[]) => string>> = { bash, zsh };

/** The options that take a value: the word after them is completed as one of their choices, or as a file. */
function valued(commands: readonly Loaded[]) {
  const options = commands.flatMap((command) => Object.entries(command.options));
  const named = options.filter(([, { type }]) => type !== 'boolean');
  const chosen = named.filter(([, { choices }]) => choices !== undefined);
  return {
    names: [...new Set(named.map(([name]) => `--${name}`))].join('|'),
    choices: [...new Map(chosen.map(([name, { choices }]) => [`--${name}`, choices!.join(' ')]))],
  };
}

function optionNames({ options }: Loaded): string {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .join(' ');
}

function bash(commands: readonly Loaded[]): string {
  const { names, choices } = valued(commands);
  const words = commands.map(({ name }) => name).join(' ');
  return `_btg2gltf() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '${words} --help --version' -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map((one) => `    ${one.name}) options='${optionNames(one)}' ;;`).join('\n')}
  esac
  compopt -o filenames 2>/dev/null
  case $previous in
${choices.map(([name, list]) => `    ${name}) mapfile -t COMPREPLY < <(compgen -W '${list}' -- "$current"); return ;;`).join('\n')}
    ${names}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.y*ml' -- "$current") ;;
  esac
}
complete -F _btg2gltf btg2gltf
`;
}

function zsh(commands: readonly Loaded[]): string {
  const { names, choices } = valued(commands);
  const described = (name: string, text: string) =>
    `'${`${name.replaceAll(':', '\\:')}:${text}`.replaceAll("'", "'\\''")}'`;
  const optionList = ({ options }: Loaded) =>
    Object.entries(options).map(([name, { describe }]) => described(`--${name}`, describe));
  return `#compdef btg2gltf
_btg2gltf() {
  local -a commands options
  commands=(${commands.map(({ name, describe }) => described(name, describe)).join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map((one) => `    ${one.name}) options=(${optionList(one).join(' ')}) ;;`).join('\n')}
  esac
  case $words[CURRENT-1] in
${choices.map(([name, list]) => `    ${name}) compadd ${list}; return ;;`).join('\n')}
    ${names}) _files; return ;;
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options; else _files -g '*.(yaml|yml)'; fi
}
# A file of $fpath is the body of the function at its first call.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _btg2gltf "$@"; else compdef _btg2gltf btg2gltf; fi
`;
}
