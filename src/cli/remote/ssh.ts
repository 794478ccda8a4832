/** `lab ssh`: the ssh(1) of this machine, into a node of a lab on a lab-api server. */
import type { Command } from 'commander';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { systemCode } from '../../lib/app-error.ts';
import { runAttached } from '../../labs/system/run.ts';
import { nameRanges } from '../../lib/text/name-ranges.ts';
import { complain, endWith } from './ending.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { hostsIn, pinOptions, plainLabOf, proxyOption } from './ssh-options.ts';

interface SshOptions {
  readonly stdio?: boolean;
}

/** The exit code of a shell for a program that is not there. */
const notFoundCode = 127;

function nodeWords([lab, node, ...words]: readonly string[]): [string, string, string[]] {
  if (lab === undefined || node === undefined)
    throw new UsageError('give a lab and a node: lab ssh LAB NODE ("lab labs" lists the labs)');
  return [lab, node, words];
}

function noSuchNode(lab: string, node: string, inventory: string): UsageError {
  const nodes = hostsIn(inventory, lab).map((host) => host.slice(0, -plainLabOf(lab).length - 1));
  return new UsageError(`the lab ${lab} has no node "${node}" with a shell; it has ${nameRanges(nodes)}`);
}

/** Says which labs have this name, where no lab has this id. */
async function tellIds(client: LabApiClient, lab: string, error: unknown): Promise<void> {
  if (!(error instanceof ServiceError) || error.code !== 'instance-not-found') return;
  const labs = await client.labs().catch(() => []);
  const ids = labs.filter(({ name }) => name === lab).map(({ id }) => id);
  if (ids.length > 0) complain(`the id of the lab with the name ${lab} is ${ids.join(' or ')}`);
}

async function runSsh(words: readonly string[], command: Command): Promise<number> {
  const [lab, node, more] = nodeWords(words);
  const host = `${node}.${plainLabOf(lab)}`;
  const client = await clientFor(command);
  const inventory = await client
    .inventory(lab, { format: 'ssh-config', proxy: true })
    .catch(async (error: unknown) => {
      await tellIds(client, lab, error);
      throw error;
    });
  if (!hostsIn(inventory, lab).includes(host)) throw noSuchNode(lab, node, inventory);
  const all = [
    proxyOption(command, lab, node),
    ['User', host],
    // The service knows the user from the request: SSH asks for nothing.
    ['PreferredAuthentications', 'none'],
    ...pinOptions(inventory),
  ];
  const options = all.flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  // Its own options and the command follow the host: ssh(1) reads them there, too.
  const args = [...options, host, ...more];
  return runAttached('ssh', args, process.env as Record<string, string>).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
    complain('there is no ssh on this machine: install OpenSSH, or use "lab connect" and "lab exec"');
    return notFoundCode;
  });
}

async function carry(words: readonly string[], command: Command): Promise<number> {
  const [lab, given] = nodeWords(words);
  const suffix = `.${plainLabOf(lab)}`;
  // In a file for ssh(1), the name of the host stands for the node of each lab.
  const node = given.endsWith(suffix) ? given.slice(0, -suffix.length) : given;
  const [client, { carrySsh }] = await Promise.all([clientFor(command), import('./carry-ssh.ts')]);
  const reason = await carrySsh(client.node(lab, node));
  if (reason !== undefined) complain(reason);
  return reason === undefined ? 0 : 1;
}

export function addSshCommand(program: Command): void {
  withServerOptions(
    program
      .command('ssh')
      .description('run ssh into a node of a lab on a lab-api server: lab ssh default r1')
      .usage('[options] <lab> <node> [options of ssh...] [--] [command...]'),
  )
    .argument('[words...]', 'id of the lab (see lab labs), node, then as for ssh: options and a command')
    .option('--stdio', 'carry a connection of ssh over standard input and output (ProxyCommand)')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[], { stdio }: SshOptions, command: Command) =>
      endWith(command, async () => (stdio === true ? carry(words, command) : runSsh(words, command))),
    );
}
