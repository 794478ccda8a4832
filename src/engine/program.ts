/** The command line of the engine, with the options and exit codes of netlab (0, 1, and 2 for wrong usage). */
import { Command, CommanderError, Option } from 'commander';
import { collectDirectoryName, snapshotName } from './core/file-names.ts';
import type { TopologyArguments } from './lab/compute-lab.ts';
import { enter } from './namespaces/enter.ts';
import { addImage, addNodeCommands, addRestart, addUnsupported, addValidate } from './lab-commands.ts';
import {
  defined,
  instanceOption,
  noteIgnored,
  perform,
  type EngineInvocation,
  type Finish,
} from './perform.ts';
import { runInForeground } from './system/run-program.ts';

interface UpFlags extends TopologyFlags {
  config: boolean;
  reloadConfig?: string;
  tools: boolean;
  fastConfig?: boolean;
  dryRun?: boolean;
  snapshot?: string | true;
}

interface TopologyFlags {
  device?: string;
  provider?: string;
  plugin?: string[];
  set?: string[];
  output?: string[];
  quiet?: boolean;
  verbose?: boolean;
}

const collected = (value: string, previous: string[] = []): string[] => [...previous, value];

function topologyOf(file: string | undefined, flags: TopologyFlags): TopologyArguments {
  const { device, provider, plugin = [], set = [] } = flags;
  return { ...defined({ file, device, provider }), plugins: plugin, settings: set };
}

function withTopologyOptions(command: Command): Command {
  return command
    .argument('[topology]', 'topology file, or a directory with a topology.yml (default: topology.yml)')
    .option('-d, --device <device>', 'device of nodes without a device')
    .option(
      '-p, --provider <provider>',
      'accepted for netlab, no effect: nodes are always network namespaces',
    )
    .option('--plugin <plugin>', 'add a plugin, as "plugin" in the topology does', collected)
    .option('-s, --set <key=value>', 'set an attribute of the topology', collected)
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'accepted for netlab, no effect');
}

function addCreate(program: Command, invocation: EngineInvocation, finish: Finish): void {
  withTopologyOptions(program.command('create').description('compute a lab and write lab.snapshot.json'))
    .option('-o, --output <format>', 'accepted for netlab, no effect', collected)
    .action(async (file: string | undefined, flags: TopologyFlags) => {
      noteIgnored(invocation, flags);
      const { createCommand } = await import('./commands/create.ts');
      const options = { topology: topologyOf(file, flags), quiet: flags.quiet === true };
      finish(await perform(invocation, 'create', 'nothing', (context) => createCommand(context, options)));
    });
}

function addUp(program: Command, invocation: EngineInvocation, finish: Finish): void {
  withTopologyOptions(
    program
      .command('up')
      .description('start a lab; it belongs to the current directory, wherever its topology is'),
  )
    .option('--no-config', 'accepted for netlab, no effect')
    .option('-r, --reload-config <directory>', 'accepted for netlab, no effect')
    .option('--no-tools', 'accepted for netlab, no effect')
    .option('--fast-config', 'accepted for netlab, no effect')
    .option('--dry-run', 'print the commands as a script for sh, and run none')
    .option('--snapshot [file]', 'start the lab of lab.snapshot.json')
    .action(async (file: string | undefined, flags: UpFlags) => {
      noteIgnored(invocation, flags);
      const { upCommand } = await import('./commands/up.ts');
      const snapshot = flags.snapshot === true ? snapshotName : flags.snapshot;
      const dryRun = flags.dryRun === true;
      const options = {
        topology: topologyOf(file, flags),
        quiet: flags.quiet === true,
        dryRun,
        ...defined({ snapshot }),
      };
      const need = dryRun ? 'nothing' : 'make';
      finish(await perform(invocation, 'up', need, (context) => upCommand(context, options)));
    });
}

function addDown(program: Command, invocation: EngineInvocation, finish: Finish): void {
  interface DownFlags {
    cleanup?: boolean;
    force?: boolean;
    dryRun?: boolean;
    instance?: string;
    quiet?: boolean;
  }
  program
    .command('down')
    .description('stop the lab of the current directory')
    .option('--cleanup', 'remove the files of the lab as well')
    .option('--force', 'remove the lab from the registry even if a part of it remains')
    .option('--dry-run', 'print the commands and run none')
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'accepted for netlab, no effect')
    .addOption(instanceOption())
    .action(async (flags: DownFlags) => {
      const { downCommand } = await import('./commands/down.ts');
      const { cleanup = false, force = false, dryRun = false, quiet = false, instance } = flags;
      const options = { cleanup, force, dryRun, quiet, ...defined({ instance }) };
      finish(await perform(invocation, 'down', 'see', (context) => downCommand(context, options)));
    });
}

function addStatus(program: Command, invocation: EngineInvocation, finish: Finish): void {
  interface StatusFlags {
    all?: boolean;
    instance?: string;
    format: 'text' | 'json' | 'yaml';
  }
  program
    .command('status')
    .description('show the labs')
    .option('--all', 'show all labs, not only the lab of this directory')
    .addOption(instanceOption())
    .addOption(new Option('--format <format>').choices(['text', 'json', 'yaml']).default('text'))
    .option('-v, --verbose', 'accepted for netlab, no effect')
    .action(async ({ all = false, format, instance }: StatusFlags) => {
      const { statusCommand } = await import('./commands/status.ts');
      const options = { all, format, ...defined({ instance }) };
      finish(await perform(invocation, 'status', 'see', (context) => statusCommand(context, options)));
    });
}

function addCollect(program: Command, invocation: EngineInvocation, finish: Finish): void {
  interface CollectFlags {
    output: string;
    suffix: string;
    tar?: string;
    cleanup?: boolean;
    print?: string;
    instance?: string;
    quiet?: boolean;
  }
  program
    .command('collect')
    .description('write the addresses, routes, neighbours and settings of every node into files')
    .option(
      '-o, --output <directory>',
      'output directory; removes files collected there before',
      collectDirectoryName,
    )
    .option('--suffix <suffix>', 'extension of the readable files', 'cfg')
    .option('--tar <file>', 'also write the files into an archive')
    .option('--cleanup', 'remove the files once they are in the archive')
    .addOption(
      new Option('--print <node>', 'print the configuration of this node, and write no files').conflicts([
        'output',
        'suffix',
        'tar',
        'cleanup',
      ]),
    )
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'accepted for netlab, no effect')
    .addOption(instanceOption())
    .action(async ({ cleanup = false, quiet = false, print: node, ...flags }: CollectFlags) => {
      const { collectCommand, printCommand } = await import('./commands/collect.ts');
      finish(
        await perform(invocation, 'collect', 'see', (context) =>
          node === undefined
            ? collectCommand(context, { ...flags, cleanup, quiet })
            : printCommand(context, { node, ...defined({ instance: flags.instance }) }),
        ),
      );
    });
}

/** Runs netlab as root of the user namespace that the labs of an ordinary user are in. */
async function runInUserNamespace(invocation: EngineInvocation, command: readonly string[]): Promise<number> {
  return perform(invocation, 'inside', 'nothing', async (context) => {
    const inside = { env: { ...invocation.env, LAB_INSIDE: 'yes' }, program: command, args: [] };
    const entered = await enter('make', context, inside);
    if (entered.kind === 'done') return entered.exitCode;
    const [file = '', ...words] = command;
    return runInForeground(file, words);
  });
}

/** The command line of a program that the engine stands in for; undefined when it is one of the engine's own. */
async function runStandIn(invocation: EngineInvocation): Promise<number | undefined> {
  const [program = '', ...words] = invocation.args;
  if (program === 'inside') return runInUserNamespace(invocation, words);
  if (program !== 'docker' && program !== 'containerlab') return undefined;
  return perform(invocation, program, 'see', async (context) => {
    if (program === 'docker')
      return (await import('./runtime/docker.ts')).runDocker(context, words, invocation.env);
    return (await import('./runtime/containerlab.ts')).runContainerlab(context, words, invocation.env);
  });
}

/** Runs one command line and returns the exit code. Loads only the code of the given command. */
export async function runEngine(invocation: EngineInvocation): Promise<number> {
  const stoodIn = await runStandIn(invocation);
  if (stoodIn !== undefined) return stoodIn;
  const { out, err } = invocation.context;
  const version = `lab ${invocation.version} (bundled engine)`;
  let exitCode = 0;
  const finish: Finish = (code) => {
    exitCode = code;
  };
  const program = new Command('lab')
    .version(version, '--version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err });
  for (const add of [
    addCreate,
    addUp,
    addDown,
    addStatus,
    addCollect,
    addValidate,
    addRestart,
    addImage,
    addUnsupported,
    addNodeCommands,
  ])
    add(program, invocation, finish);
  program.command('version').action(() => out(`${version}\n`));
  for (const command of program.commands)
    command.showHelpAfterError(`("lab ${command.name()} --help" lists its arguments and options)`);
  try {
    await program.parseAsync([...invocation.args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}
