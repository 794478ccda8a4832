import type { Command } from 'commander';
import { actions, type Action } from '../labs/actions.ts';
import { findLabCli, labCliEnvironment } from '../labs/lab-cli.ts';
import { messageOf } from '../lib/app-error.ts';
import { runAttached } from '../labs/run.ts';

const descriptions: Readonly<Record<Action, string>> = {
  up: 'start a lab',
  create: 'create the configuration files of a lab without starting it',
  down: 'stop a lab',
  collect: 'collect the configurations of the devices of a lab',
  status: 'show the labs on this machine',
};

/** Hands over to the lab CLI that jobs use, on this terminal; ends with its exit code. */
async function handOver(action: Action, args: readonly string[]): Promise<void> {
  const setting = process.env['LAB_API_CLI'] || 'auto';
  const cli = findLabCli(setting, process.env);
  if (!cli) {
    const what = setting === 'auto' ? 'netlab is not on PATH' : `there is no program "${setting}"`;
    process.stderr.write(`lab ${action}: ${what}; install netlab, or set LAB_API_CLI\n`);
    process.exit(127);
  }
  // The terminal's own width beats the one that logs get.
  const { COLUMNS: _logWidth, ...env } = labCliEnvironment(cli, process.env);
  const width = process.env['COLUMNS'];
  const running = runAttached(
    cli.file,
    [action, ...args],
    width === undefined ? env : { ...env, COLUMNS: width },
  );
  const code = await running.catch((error: unknown) => {
    const why = `${messageOf(error)} (is its interpreter there?)`;
    process.stderr.write(`lab ${action}: cannot start ${cli.file}: ${why}\n`);
    return 126;
  });
  process.exit(code);
}

/** `lab up …` and the others: every argument goes to the lab CLI untouched, `--help` too. */
export function addLabCommands(program: Command): void {
  for (const action of actions) {
    program
      .command(action)
      .description(`${descriptions[action]} (arguments as for the lab CLI: netlab ${action} --help)`)
      .argument('[arguments...]')
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .passThroughOptions()
      // From the command line itself: commander takes a leading `--` away, which would be the lab CLI's to read.
      .action(() => handOver(action, process.argv.slice(process.argv.indexOf(action, 2) + 1)));
  }
}
