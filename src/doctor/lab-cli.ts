import { findLabCli } from '../labs/drivers/drivers.ts';
import type { LabCli } from '../labs/drivers/lab-driver.ts';
import { providersArguments, readProviders } from '../labs/drivers/netlab/providers.ts';
import { labCliEnvironment, labCliVersion } from '../labs/lab-cli.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { asJobs } from './job-user.ts';
import { ask, complaint } from './program.ts';

/** Whether jobs run on the bundled engine; undefined when there is no lab CLI at all. */
export function usesEngine({ config, env }: Subject): boolean | undefined {
  return findLabCli(config.cli, env)?.driver.isBundled;
}

/** netlab, under whatever path; other lab CLIs have other providers and other checks, or none. */
function findNetlab({ config, env }: Subject): LabCli | undefined {
  const cli = findLabCli(config.cli, env);
  return cli?.name === 'netlab' ? cli : undefined;
}

export async function checkLabCli(subject: Subject): Promise<Finding> {
  const { config } = subject;
  const { env, words } = asJobs(subject);
  const cli = findLabCli(config.cli, env);
  if (cli === undefined) {
    const isBuilt = findLabCli('engine', env) !== undefined;
    return failed(
      config.cli === 'auto' || config.cli === 'engine'
        ? 'there is no netlab on PATH, and the bundled engine was not built'
        : `there is no program "${config.cli}" on PATH or at this path`,
      isBuilt
        ? 'correct LAB_API_CLI (--cli), or leave it out'
        : 'install netlab (scripts/install-netlab.sh), or build the engine (npm run build)',
    );
  }
  const version = await labCliVersion(cli, env, words);
  if (version !== undefined) return ok(`${cli.name} ${version}, ${cli.file}`);
  const result = await ask(cli.file, cli.driver.versionArguments, {
    env: labCliEnvironment(cli, env),
    words,
  });
  const cause = complaint(result);
  return failed(
    `${cli.file} does not tell its version: ${cause}`,
    `make "${[cli.file, ...cli.driver.versionArguments].join(' ')}" work`,
  );
}

export async function checkProviders(subject: Subject): Promise<Finding> {
  const netlab = findNetlab(subject);
  if (netlab === undefined) return skipped('only netlab has providers');
  const { env, words } = asJobs(subject);
  const result = await ask(netlab.file, providersArguments, { env: labCliEnvironment(netlab, env), words });
  const remedy = 'run "netlab show providers", and install what it misses ("netlab install" helps)';
  if (result.exitCode !== 0) return failed(`netlab show providers fails: ${complaint(result)}`, remedy);
  const providers = readProviders(result.stdout.toString('utf8'));
  const listed = providers.map(({ name, status }) => `${name} ${status}`).join(', ');
  // External devices need nothing on this machine, so that provider is always there.
  const isUsable = providers.some(({ name, status }) => name !== 'external' && status === 'OK');
  return isUsable ? ok(listed) : failed(`no provider can start a node: ${listed}`, remedy);
}

export async function checkDocker(subject: Subject): Promise<Finding> {
  if (findNetlab(subject) === undefined) return skipped('only netlab needs Docker');
  const result = await ask('docker', ['version', '--format', '{{.Server.Version}}'], asJobs(subject));
  if (result.exitCode === 0) return ok(`version ${result.stdout.toString('utf8').trim()}`);
  if (result.spawnError !== null) {
    return warning('docker is not on PATH: labs of containers will not start', 'install Docker');
  }
  return failed(
    `docker does not reach its daemon: ${complaint(result)}`,
    'start Docker; the user of the service has to be root or in the group docker',
  );
}
