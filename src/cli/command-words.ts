/** The words that may follow `lab`, read from the definitions of the commands. */
import type { Command, Option } from 'commander';
import type { EngineInvocation } from '../engine/perform.ts';

export interface Flag {
  /** The short one, if there is one, and the long one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Its value: any (`choices` empty) or one of these; undefined for a switch. */
  readonly value: { readonly name: string; readonly choices: readonly string[] } | undefined;
}

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** The allowed values of its first argument; empty for a file or any other value. */
  readonly choices: readonly string[];
}

const valueName = (text: string): string => text.replace(/[<>[\].]/g, '');

function flagOf(option: Option): Flag {
  const takesValue = option.required || option.optional;
  const placeholder = /[<[].*$/.exec(option.flags)?.[0] ?? 'value';
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    description: option.description,
    value: takesValue ? { name: valueName(placeholder), choices: option.argChoices ?? [] } : undefined,
  };
}

/** A line of commander's help about an option: `  -i, --instance <id>  the lab instance (choices: "a", "b")`. */
const helpLine = /^ {2}(?:(-\w), )?(--[\w-]+)(?: ([<[][^>\]]+[>\]]))?(?: {2,}(.*))?$/;

function flagsOfHelp(help: string): Flag[] {
  return help.split('\n').flatMap((line) => {
    const [, short, long, value, description = ''] = helpLine.exec(line) ?? [];
    if (long === undefined) return [];
    const choices = /\(choices: ("[^)]*?")(?:\)|, default)/.exec(description)?.[1] ?? '';
    return {
      names: short === undefined ? [long] : [short, long],
      description: description.replace(/ ?\(.*/, ''),
      value:
        value === undefined
          ? undefined
          : {
              name: valueName(value),
              choices: [...choices.matchAll(/"([^"]+)"/g)].map(([, it]) => it ?? ''),
            },
    };
  });
}

/**
 * The options of a command that is handed over to the lab CLI: those of the bundled engine, which are netlab's. Its help
 * is asked for them, because a lab CLI is a program of its own.
 */
async function engineFlags(name: string): Promise<Flag[]> {
  const { runEngine } = await import('../engine/program.ts');
  let help = '';
  const invocation: EngineInvocation = {
    context: {
      home: '',
      cwd: '',
      runDir: '',
      out: (text) => void (help += text),
      err: () => undefined,
      interrupted: new AbortController().signal,
    },
    version: '',
    env: {},
    program: [],
    args: [name, '--help'],
  };
  await runEngine(invocation);
  return flagsOfHelp(help);
}

/** The options of all of them, each once. */
function flagsOf(commands: readonly Command[]): Flag[] {
  const flags = commands.flatMap((command) => command.createHelp().visibleOptions(command).map(flagOf));
  return [...new Map(flags.map((flag) => [flag.names.join(), flag])).values()];
}

/** Every command of `program`, and the flags that stand before one. */
export async function commandWords(
  program: Command,
): Promise<{ readonly commands: readonly CommandWords[]; readonly flags: readonly Flag[] }> {
  const help = program.createHelp();
  const commands = help.visibleCommands(program).map(async (command): Promise<CommandWords> => {
    // Of a command of several words (`lab user add`), the second one may stand first, and all their options follow.
    const seconds = help.visibleCommands(command).filter((second) => second.name() !== 'help');
    const own = flagsOf([command, ...seconds]);
    const isHelp = command.name() === 'help';
    return {
      name: command.name(),
      description: command.description(),
      // A command without options of its own, not even --help, passes them all on.
      flags: own.length > 0 || isHelp ? own : await engineFlags(command.name()),
      choices: isHelp
        ? program.commands.map((other) => other.name())
        : [...seconds.map((second) => second.name()), ...(command.registeredArguments[0]?.argChoices ?? [])],
    };
  });
  return { commands: await Promise.all(commands), flags: help.visibleOptions(program).map(flagOf) };
}
