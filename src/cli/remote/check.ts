/** `lab check`: has a server look at a topology, without a lab of it. */
import type { Command } from 'commander';
import type { TopologyProblem } from '../../client/api-types.ts';
import { complain, endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, textOf, withServerOptions } from './server.ts';
import { harmless } from './tables.ts';

interface CheckOptions {
  readonly output: 'table' | 'json';
  readonly path?: string;
  readonly workspace?: string;
  readonly cli?: string;
}

/** `topology.yml:3:5: error: text`, as compilers write it and editors read it. */
function lineOf({ line, column, severity, message }: TopologyProblem, file: string): string {
  const place = [file, line, column].filter((part) => typeof part === 'number' || part === file);
  return harmless(`${place.join(':')}: ${severity}: ${message}`);
}

async function check(file: string, options: CheckOptions, command: Command): Promise<number> {
  const { output, path, workspace, cli } = options;
  const topology = textOf(file);
  const client = await clientFor(command);
  const request = {
    topology,
    ...(path !== undefined && { path }),
    ...(workspace !== undefined && { workspace }),
  };
  const result = await client.workspaces.check(request, { cli });
  if (output === 'json') printJson(result);
  else for (const problem of result.problems) process.stdout.write(`${lineOf(problem, file)}\n`);
  if (!result.valid && result.problems.length === 0) complain('it is wrong, and the server does not say why');
  return result.valid ? 0 : 1;
}

export function addCheckCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program.command('check').description('have a lab-api server look at a topology, and start nothing'),
    ),
  )
    .argument('<file>', 'the topology; - reads standard input')
    .option('--workspace <name>', 'with the files of this workspace beside it')
    .option('--path <path>', 'the name of the file in the directory of the lab (default: topology.yml)')
    .option('--cli <name>', 'the lab CLI, of a server with several')
    .action(async (file: string, options: CheckOptions, command: Command) =>
      endWith(command, async () => check(file, options, command)),
    );
}
