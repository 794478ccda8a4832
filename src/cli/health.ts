import type { Command } from 'commander';
import http from 'node:http';
import https from 'node:https';
import type { Config } from '../config/config.ts';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';

/** Shorter than what Docker gives the health check of the image. */
const timeoutMs = 4_000;

/** Alive: it answers as asked, wants a password, has no password and refuses this name, or had too many wrong ones. */
const aliveStatuses: ReadonlySet<number> = new Set([200, 401, 403, 429]);

/** An address that can be connected to: a service that listens on every address listens on loopback as well. */
function addressToAsk(bind: string): string {
  return bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind;
}

/**
 * The HTTP status of GET /healthz. No password is sent: another program may listen on the port while the service is down.
 * The certificate is not checked: it is for the name that clients use.
 */
async function askHealth({ bind, port, basePath, tls }: Config): Promise<number> {
  const answer = deferred<number>();
  const options = { host: addressToAsk(bind), port, path: `${basePath}/healthz`, rejectUnauthorized: false };
  const request = (tls ? https : http).get({ ...options, signal: AbortSignal.timeout(timeoutMs) });
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
  // The other commands do without the configuration: to load its schema takes a good part of the time that they run.
  const { loadConfig } = await import('../config/load-config.ts');
  try {
    const config = loadConfig(process.env);
    if (config.port === 0)
      return 'LAB_API_PORT is 0: the port that the service chose is unknown; set another port';
    const status = await askHealth(config);
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
