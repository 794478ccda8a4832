/** The commands for a started lab (`validate`, `restart`), and those that the engine does not support. */
import { Option, type Command } from 'commander';
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
  'restart-nodes': { description: 'stop and start nodes of a lab: only in containerlab', why: namespaces },
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
