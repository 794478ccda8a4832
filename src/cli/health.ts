import type { Command } from 'commander';
import http from 'node:http';
import https from 'node:https';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';

/** Shorter than what Docker gives the health check of the image. */
const timeoutMs = 4_000;

/** Alive: it answers as asked, wants a password, has no password and refuses this name, or had too many wrong ones. */
const aliveStatuses: ReadonlySet<number> = new Set([200, 401, 403, 429]);

interface Address {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: string | number;
  readonly basePath: string;
}

/** Where the service is: by its own note if it runs, else by the settings, as for one of another container. */
async function addressOfService(): Promise<Address> {
  // The other commands do without the configuration: to load its schema takes a good part of the time that they run.
  const { runningUrl } = await import('../doctor/running-url.ts');
  const noted = await runningUrl(process.env);
  if (noted !== undefined) {
    const { protocol, hostname, port, pathname } = noted;
    const host = hostname.replace(/^\[|\]$/g, '');
    return { isTls: protocol === 'https:', host, port, basePath: pathname.replace(/\/$/, '') };
  }
  const { loadConfig } = await import('../config/load-config.ts');
  const { bind, port, basePath, tls } = loadConfig(process.env);
  if (port === 0)
    throw new Error('LAB_API_PORT is 0: the port that the service chose is unknown; set another port');
  return { isTls: tls !== undefined, host: bind, port, basePath };
}

/**
 * The HTTP status of GET /healthz. No password is sent: another program may listen on the port while the service is down.
 * The certificate is not checked: it is for the name that clients use.
 */
async function askHealth({ isTls, host: given, port, basePath }: Address): Promise<number> {
  const answer = deferred<number>();
  // A service that listens on every address listens on loopback as well.
  const host = given === '0.0.0.0' || given === '::' ? '127.0.0.1' : given;
  const options = { host, port, path: `${basePath}/healthz`, rejectUnauthorized: false };
  const request = (isTls ? https : http).get({ ...options, signal: AbortSignal.timeout(timeoutMs) });
  request.once('response', (reply) => {
    answer.resolve(reply.statusCode ?? 0);
    reply.destroy();
  });
  // Not `once`: breaking the reply off may be one more error.
  request.on('error', answer.reject);
  return answer.promise;
}

/** Why the service is not well, in one sentence; undefined when it is. */
async function findProblem(): Promise<string | undefined> {
  try {
    const status = await askHealth(await addressOfService());
    return aliveStatuses.has(status) ? undefined : `the service answers with HTTP status ${status}`;
  } catch (error) {
    const why = messageOf(error).replaceAll('\n', '; ');
    if (systemCode(error) === 'ECONNREFUSED')
      return `${why}; LAB_API_BIND and LAB_API_PORT say where the service is`;
    return error instanceof Error && error.name === 'AbortError'
      ? `no answer within ${timeoutMs / 1000} seconds`
      : why;
  }
}

/** `lab health`. Docker reserves exit codes over 1 of a health check, so there are 0 and 1. */
export function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('check whether the service configured by LAB_API_* is alive: exit code 0 or 1')
    .action(async () => {
      const problem = await findProblem();
      if (problem === undefined) process.stdout.write('ok\n');
      else process.stderr.write(`lab health: ${problem}\n`);
      process.exitCode = problem === undefined ? 0 : 1;
    });
}
