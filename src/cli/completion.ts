import { Argument, type Command } from 'commander';
import { commandWords, type CommandWords, type Flag } from './command-words.ts';

type Words = Awaited<ReturnType<typeof commandWords>>;

const names = (flags: readonly Flag[]): string[] => flags.flatMap((flag) => flag.names);

/** The completions of a flag's value: one of its choices, else a file (`-o default`, for an empty reply). */
function bashValues({ name, flags }: CommandWords): string[] {
  const pattern = (some: readonly Flag[]): string =>
    names(some)
      .map((flag) => `${name}:${flag}`)
      .join(' | ');
  const valued = flags.filter((flag) => flag.value !== undefined);
  const free = valued.filter((flag) => flag.value?.choices.length === 0);
  const chosen = valued.filter((flag) => !free.includes(flag));
  return [
    ...chosen.map((flag) => `    ${pattern([flag])}) words='${flag.value?.choices.join(' ')}' isValue=1 ;;`),
    ...(free.length === 0 ? [] : [`    ${pattern(free)}) isValue=1 ;;`]),
  ];
}

/** bash(1), "Programmable Completion". */
function bashScript({ commands, flags }: Words): string {
  const first = [...commands.map((command) => command.name), ...names(flags)];
  return `# Completion of lab for bash. In ~/.bashrc: source <(lab completion bash)
_lab() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words='' isValue=''
  COMPREPLY=()
  case $command:\${COMP_WORDS[COMP_CWORD - 1]} in
${commands.flatMap(bashValues).join('\n')}
  esac
  if [[ -z $isValue || $current == -* ]]; then
    if ((COMP_CWORD == 1)); then
      words='${first.join(' ')}'
    else
      case $command in
${commands.map(({ name, flags: own, choices }) => `        ${name}) words='${choices.join(' ')}'; [[ $current == -* ]] && words='${names(own).join(' ')}' ;;`).join('\n')}
      esac
    fi
  fi
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _lab lab
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A specification of zsh's \`_arguments\` (zshcompsys(1)), in which brackets and colons mean something. */
function zshFlags({ names: flagNames, description, value }: Flag): string[] {
  const text = description.replace(/[[\]:\\]/g, (sign) => `\\${sign}`);
  const choices = value && value.choices.length > 0 ? `(${value.choices.join(' ')})` : '_files';
  const after = value === undefined ? '' : `:${value.name}:${choices}`;
  return flagNames.map((name) => quoted(`*${name}[${text}]${after}`));
}

function zshScript({ commands, flags }: Words): string {
  const first = commands.map(({ name, description }) =>
    quoted(`${name}:${description.replaceAll(':', '\\:')}`),
  );
  const cases = commands.map(({ name, flags: own, choices }) => {
    const rest = choices.length > 0 ? `'*:argument:(${choices.join(' ')})'` : `'*:file:_files'`;
    return `    ${name}) _arguments ${[...own.flatMap(zshFlags), rest].join(' ')} ;;`;
  });
  return `#compdef lab
# Completion of lab for zsh. Save it as _lab in a directory of $fpath, or in ~/.zshrc after compinit: source <(lab completion zsh)
_lab() {
  local -a commands
  commands=(${first.join(' ')})
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- ${names(flags).join(' ')}
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _lab ]]; then _lab "$@"; else compdef _lab lab; fi
`;
}

const scripts = { bash: bashScript, zsh: zshScript } as const;

/** `lab completion bash|zsh`: a script for the shell, made of what the commands say of themselves. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a shell script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', '\nbash: source <(lab completion bash)\nzsh:  source <(lab completion zsh)')
    .action(async (shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](await commandWords(program)));
    });
}
