import { Command } from 'commander';
import { version } from '../version.ts';
import { addApiCommand } from './api.ts';
import { addCompletionCommand } from './completion.ts';
import { addDoctorCommand } from './doctor.ts';
import { addHealthCommand } from './health.ts';
import { addHelpCommand, addLabCommands } from './lab-command.ts';
import { addAuditCommand } from './remote/audit.ts';
import { addCheckCommand } from './remote/check.ts';
import { addConfigurationCommand } from './remote/configuration.ts';
import { addDiskCommand } from './remote/disk.ts';
import { addReloadCommand } from './remote/reload.ts';
import { addEventsCommand } from './remote/events.ts';
import { addFileCommands } from './remote/files.ts';
import { addFaultCommands } from './remote/faults.ts';
import { addTrafficCommand } from './remote/traffic.ts';
import { addHostCommands } from './remote/hosts.ts';
import { addInventoryCommands } from './remote/inventory.ts';
import { addJobCommands } from './remote/jobs.ts';
import { addMcpCommand } from './remote/mcp.ts';
import { addQuotaCommand } from './remote/quota.ts';
import { addReportCommand } from './remote/report.ts';
import { addShareCommand } from './remote/share.ts';
import { addLogsCommand } from './remote/logs.ts';
import { addScenarioCommand } from './remote/scenario.ts';
import { addSearchCommand } from './remote/search.ts';
import { addDiffCommand, addSnapshotCommands } from './remote/snapshots.ts';
import { addSshCommand } from './remote/ssh.ts';
import { addVersionCommand } from './remote/version.ts';
import { withServerOptions } from './remote/server.ts';
import { addStartCommand } from './remote/start.ts';
import { addTokenCommands } from './users/token-commands.ts';
import { addUserCommands } from './users/user-commands.ts';

function addServerCommands(program: Command): void {
  addStartCommand(program);
  addLogsCommand(program);
  addEventsCommand(program);
  addJobCommands(program);
  addFileCommands(program);
  addDiskCommand(program);
  addCheckCommand(program);
  addQuotaCommand(program);
  addReloadCommand(program);
  addAuditCommand(program);
  addConfigurationCommand(program);
  addSshCommand(program);
  addInventoryCommands(program);
  addReportCommand(program);
  addShareCommand(program);
  addSearchCommand(program);
  addSnapshotCommands(program);
  addDiffCommand(program);
  addFaultCommands(program);
  addTrafficCommand(program);
  addScenarioCommand(program);
  addHostCommands(program);
  addMcpCommand(program, version);
  addVersionCommand(program, version);
}

/** After a mistake, the line that says where to look: in the help of the very command. */
function pointToHelp(command: Command, words: string): void {
  const what = command.commands.length > 0 ? 'commands' : 'options';
  command.showHelpAfterError(`(${words} --help lists the ${what})`);
  for (const child of command.commands) pointToHelp(child, `${words} ${child.name()}`);
}

/** The `lab` command line. */
export function createProgram(): Command {
  const program = new Command('lab')
    .description('Run virtual network labs on this machine, or serve them over HTTP with "lab api".')
    .version(version, '--version')
    .enablePositionalOptions()
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  program.addHelpText(
    'after',
    `
Commands that work on a lab pass their arguments to the lab CLI: the one in LAB_API_CLI,
else netlab if it is on PATH, else the bundled engine. "lab up --help" lists its options.
With --server or LAB_API_URL, validate, exec, connect and capture work on a server.

  lab api --port 8090
  lab up examples/triangle/topology.yml
  lab exec h1 -- ping -c1 h2
  lab down`,
  );
  withServerOptions(program);
  program.commandsGroup('Labs on this machine:');
  const helpOf = addLabCommands(program);
  program.commandsGroup('Jobs and labs on a lab-api server:');
  addServerCommands(program);
  program.commandsGroup('The service on this machine:');
  addApiCommand(program);
  addHealthCommand(program);
  addDoctorCommand(program);
  addUserCommands(program);
  addTokenCommands(program);
  program.commandsGroup('Help:');
  addHelpCommand(program, helpOf);
  addCompletionCommand(program);
  pointToHelp(program, 'lab');
  return program;
}
