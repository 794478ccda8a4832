import type { Command } from 'commander';
import { pathToFileURL } from 'node:url';
import { actions, specOf, type Action } from '../labs/model/actions.ts';
import { findLabCli } from '../labs/drivers/drivers.ts';
import { labCliEnvironment, whyMissing } from '../labs/program/lab-cli.ts';
import { messageOf } from '../lib/app-error.ts';
import { runAttached } from '../labs/system/run.ts';

/**
 * Runs the bundled engine in this very process, with the environment that a process of its own would have: to start
 * Node once more takes longer than to stop a lab. It sets the exit code.
 */
async function becomeEngine(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, process.argv.length, ...args);
  await import(pathToFileURL(file).href);
}

/** Hands over to the lab CLI that jobs use, on this terminal; ends with its exit code. */
async function handOver(action: string, args: readonly string[], setting: string): Promise<void> {
  const cli = findLabCli(setting, process.env);
  if (!cli) {
    const what =
      setting === 'engine'
        ? 'the bundled engine was not built: name another lab CLI in LAB_API_CLI'
        : whyMissing(setting, 'machine');
    process.stderr.write(`lab ${action}: ${what}\n`);
    process.exit(127);
  }
  const given = [...(cli.driver.words?.[action as Action] ?? [action]), ...args];
  // The terminal's own width beats the one that logs get.
  const { COLUMNS: _logWidth, ...env } = labCliEnvironment(cli, process.env);
  const width = process.env['COLUMNS'];
  const environment = width === undefined ? env : { ...env, COLUMNS: width };
  if (cli.driver.isBundled) {
    await becomeEngine(cli.file, given, environment);
    return;
  }
  const code = await runAttached(cli.file, given, environment).catch((error: unknown) => {
    const why = `${messageOf(error)} (is its interpreter there?)`;
    process.stderr.write(`lab ${action}: cannot start ${cli.file}: ${why}\n`);
    return 126;
  });
  process.exit(code);
}

/** Options without a value of `lab exec` and `lab connect`. */
const switches: ReadonlySet<string> = new Set(['--insecure', '--stdin', '--raw']);

/** Whether `--server` stands before the lab of `lab exec` and `lab connect`. The words behind a node are a command for the node. */
function namesServerFirst(args: readonly string[]): boolean {
  for (let at = 0; args[at]?.startsWith('-') && args[at] !== '--'; at += 1) {
    const [name = '', value] = args[at]?.split('=') ?? [];
    if (name === '--server') return true;
    // The next word is its value.
    if (value === undefined && !switches.has(name)) at += 1;
  }
  return false;
}

/** Whether `--server` stands anywhere before a `--`. */
function namesServerAnywhere(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.some((word) => word === '--server' || word.startsWith('--server='));
}

const hasServer = (program: Command): boolean => program.getOptionValue('server') !== undefined;

/** With `--server`, these commands would start a lab on the wrong machine. */
function refuseServer(program: Command, name: string, onServer: string): void {
  if (!hasServer(program)) return;
  process.stderr.write(`lab ${name}: this command works on this machine; ${onServer} works on a server\n`);
  process.exit(2);
}

/** A command that a server can be asked for as well. */
interface RemoteForm {
  readonly isMeant: (args: readonly string[]) => boolean;
  /** Loads it: most who type these commands mean this machine. */
  readonly run: (args: readonly string[], before: readonly string[]) => Promise<void>;
}

const remoteForms: Readonly<Record<string, RemoteForm>> = {
  exec: {
    isMeant: namesServerFirst,
    run: async (args, before) => (await import('./remote/exec.ts')).execOnServer(args, before),
  },
  connect: {
    isMeant: namesServerFirst,
    run: async (args, before) => (await import('./remote/connect.ts')).connectOnServer(args, before),
  },
  capture: {
    isMeant: namesServerAnywhere,
    run: async (args, before) => (await import('./remote/capture.ts')).captureOnServer(args, before),
  },
  validate: {
    isMeant: namesServerAnywhere,
    run: async (args, before) => (await import('./remote/validate.ts')).remoteValidate(args, before),
  },
};

type HelpOfLabCli = ReadonlyMap<string, () => Promise<void>>;

/** `lab up …` and the others: every argument goes to the lab CLI untouched, `--help` too. Returns what prints the help of each. */
export function addLabCommands(program: Command): HelpOfLabCli {
  const helpOf = new Map<string, () => Promise<void>>();
  /** `onServer` names what does the same on a server. */
  const passOn = (
    name: string,
    description: string,
    setting: () => string,
    onServer = `"lab start ${name}"`,
  ): void => {
    helpOf.set(name, () => handOver(name, ['--help'], setting()));
    program
      .command(name)
      .description(description)
      .argument('[arguments...]')
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .passThroughOptions()
      // From the command line itself: commander takes a leading `--` away, which would be the lab CLI's to read.
      .action(() => {
        const at = process.argv.indexOf(name, 2);
        const args = process.argv.slice(at + 1);
        const remote = remoteForms[name];
        const isRemote = hasServer(program) || Boolean(process.env['LAB_API_URL']);
        if (remote !== undefined && (isRemote || remote.isMeant(args)))
          return remote.run(args, process.argv.slice(2, at));
        refuseServer(program, name, onServer);
        return handOver(name, args, setting());
      });
  };
  const chosen = (): string => process.env['LAB_API_CLI'] || 'auto';
  for (const action of actions) {
    const { description, isOfService } = specOf(action);
    if (isOfService !== true) passOn(action, description, chosen);
  }
  passOn('connect', 'open a shell in a node, or run a command there: lab connect h1', chosen);
  passOn('capture', 'run tcpdump on an interface of a node: lab capture h1 eth1', chosen);
  passOn(
    'image',
    'the images for netlab nodes in namespaces: list, add, remove',
    () => 'engine',
    'PUT /images',
  );
  return helpOf;
}

/** Commander's own has nothing to say about the commands of the lab CLI. */
export function addHelpCommand(program: Command, helpOf: HelpOfLabCli): void {
  program
    .helpCommand(false)
    .command('help')
    .description('display help for command')
    .argument('[command]')
    .helpOption(false)
    .action(async (name: string | undefined) => {
      if (name === undefined) return program.help();
      const ofLabCli = helpOf.get(name);
      if (ofLabCli !== undefined) return ofLabCli();
      const known = program.commands.find((command) => command.name() === name);
      return known === undefined ? program.error(`error: unknown command '${name}'`) : known.help();
    });
}
