import { whyMissing } from '../labs/program/lab-cli.ts';
import { asksForLogin, isLoopback } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { version } from '../version.ts';

interface Started {
  readonly url: string;
  readonly config: Config;
  readonly labs: Labs;
  readonly jobsDirectory: string;
  readonly log: Logger;
}

/** Writes what an administrator wants to know of a start to the log. */
export async function announceStart({ url, config, labs, jobsDirectory, log }: Started): Promise<void> {
  log.info('lab-api is listening', {
    url: `${url}${config.basePath}`,
    version,
    auth: asksForLogin(config) ? 'on' : 'off',
  });
  log.info('jobs directory', { directory: jobsDirectory });
  if (!asksForLogin(config) && !isLoopback(config.bind)) {
    log.warn(
      'EVERY CLIENT THAT REACHES THIS ADDRESS CAN RUN PROGRAMS ON THIS MACHINE: set LAB_API_USER and LAB_API_PASSWORD',
    );
  }
  for (const root of labs.roots.missing()) {
    log.warn('a directory of LAB_API_ROOTS does not exist: nothing is allowed in it until it does', {
      root,
    });
  }
  await Promise.all(labs.members.map(async (member) => announceCli(member, config.cli, log)));
}

async function announceCli(labs: Labs['members'][number], setting: string, log: Logger): Promise<void> {
  const cli = labs.findCli();
  if (cli) {
    const cliVersion = await labs.version();
    if (cliVersion === undefined)
      log.warn('the lab CLI does not tell its version; does it start?', { file: cli.file });
    const { driver } = cli;
    // As LAB_API_CLI calls it: the bundled program has the name of our own.
    const name = driver.isBundled ? driver.name : cli.name;
    log.info('lab CLI found', { cli: name, version: cliVersion ?? 'unknown', file: cli.file });
  } else if (labs.isAlone)
    log.warn('no lab CLI was found; jobs are refused until there is one', { cause: whyMissing(setting) });
  else
    log.warn('a lab CLI of LAB_API_CLIS was not found: its jobs are refused until it is installed', {
      cli: labs.name,
    });
}
