import { type Command, Option } from 'commander';
import { bootstrap } from '../bootstrap.ts';
import type { Flags } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import { messageOf } from '../lib/app-error.ts';
import type { LabApiService } from '../service.ts';

interface ApiOptions extends Flags {
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
    // A second Ctrl-C: whoever waits no longer wants to. Jobs are on record and go on.
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
  process.on('SIGHUP', () => service.reloadTls());
}

/** A bug must not take the service down for everybody while it can still go on; what is broken for good ends it. */
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

async function serve(options: ApiOptions): Promise<void> {
  // Whoever reads our log may go away (a closed terminal, a pipe): that is no reason to stop.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', () => undefined);
  try {
    const service = bootstrap(options);
    handleBugs(service);
    handleSignals(service, options.onShutdown === 'cancel');
    await service.start();
  } catch (error) {
    fail(error);
  }
}

export function addApiCommand(program: Command): void {
  program
    .command('api')
    .description('serve the HTTP API')
    .option(
      '--bind <address>',
      'address to listen on (LAB_API_BIND; default: the server address of the SSH session, else 127.0.0.1)',
    )
    .option('--port <number>', 'port to listen on (LAB_API_PORT; default: 8090)')
    .option('--auth-user <name>', 'user name for Basic authentication (LAB_API_USER)')
    .option(
      '--auth-password <password>',
      'its password; visible in the process list, so prefer LAB_API_PASSWORD or LAB_API_PASSWORD_FILE',
    )
    .option('--tls-cert <file>', 'TLS certificate chain, PEM (LAB_API_TLS_CERT)')
    .option('--tls-key <file>', 'TLS private key, PEM (LAB_API_TLS_KEY)')
    .option(
      '--cli <program>',
      'lab CLI: auto (netlab, else the bundled engine), engine, a name on PATH, or a path (LAB_API_CLI; default: auto)',
    )
    .option(
      '--data-dir <directory>',
      'where jobs are kept (LAB_API_DATA_DIR; default: $XDG_STATE_HOME/lab-api, else ~/.local/state/lab-api)',
    )
    .addOption(
      new Option('--on-shutdown <what>', 'what happens to running jobs when the service is stopped')
        .choices(['leave', 'cancel'])
        .default('leave'),
    )
    .addHelpText(
      'after',
      '\nEvery setting but --on-shutdown is also a variable; .env.example lists them all. A flag beats a variable.',
    )
    .action(serve);
}
