/** The commands for a started lab (`validate`, `restart`), those inside a node, `image`, and those that the engine does not support. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseSize } from '../lib/text/size.ts';
import { EngineError } from './core/engine-error.ts';
import { snapshotName } from './core/file-names.ts';
import {
  defined,
  instanceOption,
  noteIgnored,
  perform,
  printFailure,
  type EngineInvocation,
  type Finish,
  type NetlabFlags,
} from './perform.ts';

export function addValidate(program: Command, invocation: EngineInvocation, finish: Finish): void {
  interface ValidateFlags {
    list?: boolean;
    node?: string;
    skipWait?: boolean;
    errorOnly?: boolean;
    skipMissing?: boolean;
    source?: string;
    instance?: string;
  }
  program
    .command('validate')
    .description('run the tests of a lab, from "validate" in its topology')
    .argument('[tests...]', 'names of tests, or regular expressions (default: all tests)')
    .option('--list', 'list the tests and run none')
    .option('--node <nodes>', 'run tests only on these nodes, separated by commas')
    .option('--skip-wait', 'skip the waiting times of tests')
    .option('-e, --error-only', 'print failed tests only, on standard error')
    .option('--source <file>', 'a YAML file with tests to run instead of those of the lab')
    .addOption(new Option('--skip-missing', 'end with 2 when there are no tests').hideHelp())
    .option('-v, --verbose', 'accepted for netlab, no effect')
    .addOption(instanceOption())
    .action(async (tests: string[], flags: ValidateFlags) => {
      const { list = false, skipWait = false, errorOnly = false, skipMissing = false } = flags;
      const nodes = flags.node === undefined ? [] : flags.node.split(',');
      const { source, instance } = flags;
      const options = {
        tests,
        nodes,
        list,
        skipWait,
        errorOnly,
        skipMissing,
        ...defined({ source, instance }),
      };
      const { validateCommand } = await import('./commands/validate.ts');
      finish(await perform(invocation, 'validate', 'see', (context) => validateCommand(context, options)));
    });
}

export function addRestart(program: Command, invocation: EngineInvocation, finish: Finish): void {
  interface RestartFlags extends NetlabFlags {
    quiet?: boolean;
    snapshot: string;
    instance?: string;
  }
  program
    .command('restart')
    .description('stop a lab, and start it again from its snapshot')
    .option('--no-config', 'accepted for netlab, no effect')
    .option('--fast-config', 'accepted for netlab, no effect')
    .option('--snapshot <file>', 'the snapshot to start', snapshotName)
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'accepted for netlab, no effect')
    .addOption(instanceOption())
    .action(async (flags: RestartFlags) => {
      noteIgnored(invocation, flags);
      const { snapshot, instance, quiet = false } = flags;
      const options = { snapshot, quiet, ...defined({ instance }) };
      const { restartCommand } = await import('./commands/restart.ts');
      finish(await perform(invocation, 'restart', 'make', (context) => restartCommand(context, options)));
    });
}

/** Commands of other lab CLIs that the engine does not support. */
const plainLinux =
  'its nodes are plain Linux, with nothing to configure; "lab up" gives them addresses and routes';
const namespaces = 'its nodes are network namespaces, which do not run and cannot be stopped';
const unsupported = {
  initial: { description: 'configure the devices of a lab: only in netlab', why: plainLinux },
  config: { description: 'deploy a configuration template: only in netlab', why: plainLinux },
  'start-nodes': { description: 'start nodes of a lab: only in containerlab', why: namespaces },
  'stop-nodes': { description: 'stop nodes of a lab: only in containerlab', why: namespaces },
  'restart-nodes': {
    description: 'stop and start nodes of a lab: only in netlab and containerlab',
    why: namespaces,
  },
} as const;

export function addUnsupported(program: Command, invocation: EngineInvocation, finish: Finish): void {
  for (const [name, { description, why }] of Object.entries(unsupported))
    program
      .command(name)
      .description(description)
      .argument('[arguments...]')
      .allowUnknownOption()
      .action(() => {
        finish(
          printFailure(invocation, name, new EngineError(`the bundled engine has no "${name}": ${why}`)),
        );
      });
}

/** The words after a node, without a leading `--`. */
const behind = (words: readonly string[]): readonly string[] => (words[0] === '--' ? words.slice(1) : words);

interface ExecFlags {
  header?: boolean;
  instance?: string;
}

function addExec(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('exec')
    .description('run a command in a node: lab exec h1 ping -c1 h2')
    .argument('<nodes>', 'one node, or several: h1,h2 or r* or all')
    .argument('<command...>', 'the command; options of exec itself go before the node')
    .passThroughOptions()
    .option('--header', 'print the name of each node, and the exit code of the command')
    .addOption(instanceOption())
    .action(async (node: string, words: string[], given: ExecFlags, self: Command) => {
      const { header = false, ...flags } = given;
      const command = behind(words);
      if (command.length === 0) self.error("error: missing required argument 'command'");
      if (words[0] === command[0] && words[0]?.startsWith('-') === true)
        self.error(`error: options of exec, such as ${words[0]}, go before the node`);
      if (header || /[,*?[]|^all$/i.test(node)) {
        const { execNodesCommand } = await import('./commands/exec.ts');
        const options = { nodes: node, command, ...flags };
        return finish(
          await perform(invocation, 'exec', 'see', (context) => execNodesCommand(context, options)),
        );
      }
      const { execCommand } = await import('./commands/exec.ts');
      finish(
        await perform(invocation, 'exec', 'see', (context) =>
          execCommand(context, { node, command, ...flags }),
        ),
      );
    });
}

interface Flags {
  readonly instance?: string;
}

function addConnect(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('connect')
    .description('open a shell in a node, or run a command there: lab connect h1')
    .argument('<node>')
    .argument(
      '[command...]',
      'a command to run instead of a shell; options of connect itself go before the node',
    )
    .passThroughOptions()
    .addOption(instanceOption())
    .action(async (node: string, words: string[], flags: Flags) => {
      const { connectCommand } = await import('./commands/exec.ts');
      const options = { node, command: behind(words), ...flags };
      finish(await perform(invocation, 'connect', 'see', (context) => connectCommand(context, options)));
    });
}

function addCapture(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('capture')
    .description('run tcpdump on an interface of a node: lab capture h1 eth1 -w - | wireshark -k -i -')
    .argument('<node>')
    .argument('<interface>')
    .argument('[arguments...]', 'arguments of tcpdump; options of capture itself go before the node')
    .passThroughOptions()
    .addOption(instanceOption())
    .action(async (node: string, ifname: string, args: string[], flags: Flags) => {
      const { captureCommand } = await import('./commands/exec.ts');
      const options = { node, ifname, args, ...flags };
      finish(await perform(invocation, 'capture', 'see', (context) => captureCommand(context, options)));
    });
}

export function addNodeCommands(program: Command, invocation: EngineInvocation, finish: Finish): void {
  for (const add of [addExec, addConnect, addCapture]) add(program, invocation, finish);
}

function sizeOf(value: string): number {
  const bytes = parseSize(value);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError('a size is like 512MiB or 20GiB.');
}

interface ImageFlags {
  format: 'text' | 'json';
}

const formatOption = (): Option => new Option('--format <format>').choices(['text', 'json']).default('text');

export function addImage(program: Command, invocation: EngineInvocation, finish: Finish): void {
  const image = program.command('image').description('the images for netlab nodes in namespaces');
  image
    .command('list')
    .description('show the images')
    .addOption(formatOption())
    .action(async ({ format }: ImageFlags) => {
      const { imageListCommand } = await import('./commands/image.ts');
      finish(
        await perform(invocation, 'image', 'nothing', (context) => imageListCommand(context, { format })),
      );
    });
  image
    .command('add')
    .description('add an image from an archive, in place of the image that has its name')
    .argument('<name>', 'its name in topologies: quay.io/frrouting/frr:10.7.1')
    .argument('<archive>', 'a file of "docker save", or an OCI archive; - for the standard input')
    .option('--max-size <size>', 'how much all images may have together (default: no limit)', sizeOf)
    .option('--min-free <size>', 'how much of the disk has to stay free (default: nothing)', sizeOf)
    .addOption(formatOption())
    .action(
      async (name: string, archive: string, flags: ImageFlags & { maxSize?: number; minFree?: number }) => {
        const { imageAddCommand } = await import('./commands/image.ts');
        const limits = { maxBytes: flags.maxSize ?? Infinity, minFreeBytes: flags.minFree ?? 0 };
        const options = { name, archive, limits, format: flags.format };
        finish(await perform(invocation, 'image', 'nothing', (context) => imageAddCommand(context, options)));
      },
    );
  image
    .command('remove')
    .alias('rm')
    .description('remove an image; labs that run keep its files')
    .argument('<name>')
    .addOption(formatOption())
    .action(async (name: string, { format }: ImageFlags) => {
      const { imageRemoveCommand } = await import('./commands/image.ts');
      const options = { name, format };
      finish(
        await perform(invocation, 'image', 'nothing', (context) => imageRemoveCommand(context, options)),
      );
    });
  for (const command of image.commands)
    command.showHelpAfterError(`("lab image ${command.name()} --help" lists its arguments and options)`);
}
