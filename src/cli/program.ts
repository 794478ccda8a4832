import { Command } from 'commander';
import { version } from '../version.ts';
import { addApiCommand } from './api.ts';
import { addHealthCommand } from './health.ts';
import { addLabCommands } from './lab-command.ts';

/** The `lab` command line. */
export function createProgram(): Command {
  const program = new Command('lab')
    .description('Start, watch and stop virtual network labs: over HTTP with "lab api", or right here.')
    .version(version, '--version')
    .enablePositionalOptions()
    .showHelpAfterError('(lab --help shows what there is)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  addApiCommand(program);
  addHealthCommand(program);
  addLabCommands(program);
  return program;
}
