import { findLabCli } from '../labs/drivers/drivers.ts';
import type { LabCli } from '../labs/drivers/lab-driver.ts';
import { labCliEnvironment, labCliVersion } from '../labs/program/lab-cli.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';
import { asJobs } from './job-user.ts';
import { ask, complaint } from './program.ts';

/** The lab CLI in use; undefined when there is none. */
export function labCliOf({ config, env }: Subject): LabCli | undefined {
  return findLabCli(config.cli, env);
}

/** Unless it only imitates a known lab CLI: then its requirements are unknown. */
function knownLabCli(subject: Subject): LabCli | undefined {
  const cli = labCliOf(subject);
  return cli?.driver.recognizes(cli.file) === true ? cli : undefined;
}

export async function checkLabCli(subject: Subject): Promise<Finding> {
  const { config } = subject;
  const { env, words } = asJobs(subject);
  const cli = findLabCli(config.cli, env);
  if (cli === undefined) {
    if (config.cli === 'engine')
      return failed('the bundled engine was not built', 'build it (npm run build)');
    if (config.cli === 'auto')
      return failed(
        'there is no netlab on PATH, and the bundled engine was not built',
        'install netlab (scripts/install-netlab.sh), or build the engine (npm run build)',
      );
    return failed(
      `there is no program "${config.cli}" on PATH or at this path`,
      'install it, correct LAB_API_CLI (--cli), or leave that out',
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
    `cannot read the version of ${cli.file}: ${cause}`,
    `make "${[cli.file, ...cli.driver.versionArguments].join(' ')}" work`,
  );
}

export async function checkProviders(subject: Subject): Promise<Finding> {
  const cli = knownLabCli(subject);
  const providers = cli?.driver.needs.providers;
  if (cli === undefined || providers === undefined)
    return skipped('the lab CLI has no providers to choose from');
  const { env, words } = asJobs(subject);
  const result = await ask(cli.file, providers.arguments, { env: labCliEnvironment(cli, env), words });
  const { remedy } = providers;
  if (result.exitCode !== 0)
    return failed(`${[cli.name, ...providers.arguments].join(' ')} fails: ${complaint(result)}`, remedy);
  const found = await providers.read(result.stdout.toString('utf8'));
  const listed = found.map(({ name, status }) => `${name} ${status}`).join(', ');
  // External devices need nothing on this machine, so that provider is always there.
  const isUsable = found.some(({ name, status }) => name !== 'external' && status === 'OK');
  return isUsable ? ok(listed) : failed(`no provider can start a node: ${listed}`, remedy);
}

export async function checkDocker(subject: Subject): Promise<Finding> {
  const cli = knownLabCli(subject);
  const docker = cli?.driver.needs.docker;
  if (cli === undefined || docker === undefined) return skipped('the lab CLI does not need Docker');
  const result = await ask('docker', ['version', '--format', '{{.Server.Version}}'], asJobs(subject));
  if (result.exitCode === 0) return ok(`version ${result.stdout.toString('utf8').trim()}`);
  if (result.spawnError !== null) {
    const { runtimes } = cli.driver;
    if (
      runtimes?.inForce({ ...subject.env, LAB_API_RUNTIME: subject.config.runtime }).runtime === 'namespaces'
    )
      return skipped('docker is not on PATH, and labs run in namespaces');
    return docker === 'for-all-labs'
      ? failed('docker is not on PATH: no lab will start', 'install Docker')
      : warning('docker is not on PATH: labs of containers will not start', 'install Docker');
  }
  return failed(
    `docker does not reach its daemon: ${complaint(result)}`,
    'start Docker; the user of the service has to be root or in the group docker',
  );
}
