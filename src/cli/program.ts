import { Command } from 'commander';
import { version } from '../version.ts';
import { addApiCommand } from './api.ts';
import { addCompletionCommand } from './completion.ts';
import { addDoctorCommand } from './doctor.ts';
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
  addLabCommands(program);
  addDoctorCommand(program);
  addCompletionCommand(program);
  return program;
}
