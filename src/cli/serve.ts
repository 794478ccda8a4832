/** `lab api`: the service, from its start to the signal that ends it. */
import { bootstrap } from '../bootstrap.ts';
import { privateVariables, type Flags } from '../config/settings.ts';
import { ConfigError } from '../config/load-config.ts';
import { messageOf } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import { eraseStartSecrets } from '../lib/processes/erase-start-secrets.ts';
import type { LabApiService } from '../service/service.ts';

export interface ApiOptions extends Flags {
  readonly onShutdown: 'leave' | 'cancel';
}

/** One line per problem; never a stack trace. Exit code 2 for a bad value, 1 for what the machine refuses. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [messageOf(error)];
  for (const line of lines) process.stderr.write(`lab api: ${line}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}

function handleSignals(service: LabApiService, cancelJobs: boolean): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second Ctrl-C stops at once. Jobs are recorded and continue.
    if (isStopping) process.exit(130);
    isStopping = true;
    service.log.info('shutting down', { signal });
    void service.stop({ cancelJobs }).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function reload(service: LabApiService): Promise<void> {
  try {
    await service.reload();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    service.log.error('the settings stay as they were', { problems: error.problems });
  }
}

/** A bug in one request must not stop the service for all users; a permanent fault ends it. */
function handleBugs(service: LabApiService): void {
  process.on('unhandledRejection', (reason) => {
    service.log.error('an error was not handled', {
      stack: reason instanceof Error ? reason.stack : messageOf(reason),
    });
  });
  process.on('uncaughtException', (error) => {
    service.log.error('the service has to end because of an unexpected error', { stack: error.stack });
    process.exit(1);
  });
}

/** Jobs run as the user of the service, and such processes can read what it was started with. */
function hideSecrets(service: LabApiService): void {
  const given = privateVariables.filter((name) => process.env[name] !== undefined);
  try {
    eraseStartSecrets({ env: process.env, variables: privateVariables, options: ['--auth-password'] });
  } catch (error) {
    // Files, and no variables, need nothing of this.
    if (given.length > 0)
      service.log.warn('jobs can read these variables of the service in /proc; use their _FILE forms', {
        variables: given.join(','),
        cause: messageOf(error),
      });
  }
}

export async function serve(options: ApiOptions): Promise<void> {
  // The reader of the log may go away (a closed terminal, a pipe); the service continues.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', () => undefined);
  // A reload that comes during the start waits for its end: what it reads again may not be open before.
  const started = deferred<LabApiService>();
  process.on('SIGHUP', () => void started.promise.then(reload));

  try {
    const service = await bootstrap(options);
    hideSecrets(service);
    handleBugs(service);
    handleSignals(service, options.onShutdown === 'cancel');
    await service.start();
    started.resolve(service);
  } catch (error) {
    fail(error);
  }
}
