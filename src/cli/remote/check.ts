/** `lab check`: has a server look at a topology, without a lab of it. */
import type { Command } from 'commander';
import type { TopologyProblem } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { isMapping } from '../../lib/mapping.ts';
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

/** `netlab 26.10`: the name of a lab CLI with its version, where the server knows that. */
async function cliWords(client: LabApiClient, name: string): Promise<string> {
  const { labClis } = await client.request('GET', '/');
  const known: unknown[] = Array.isArray(labClis) ? labClis : [];
  const version = known.filter(isMapping).find((one) => one['name'] === name)?.['version'];
  return typeof version === 'string' ? `${name} ${version}` : name;
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
  const { valid, problems, cli: checkedBy } = result;
  if (output === 'json') printJson(result);
  else if (valid && problems.length === 0) {
    const words = `${file}: no problems found (${await cliWords(client, checkedBy)})`;
    process.stdout.write(`${harmless(words)}\n`);
  } else for (const problem of problems) process.stdout.write(`${lineOf(problem, file)}\n`);
  if (!valid && problems.length === 0) complain('it is wrong, and the server does not say why');
  return valid ? 0 : 1;
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
