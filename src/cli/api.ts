import { type Command, Option } from 'commander';
import type { ApiOptions } from './serve.ts';

/** The settings of the service as flags; `lab doctor` takes the same. */
export function withServiceFlags(command: Command): Command {
  return command
    .option(
      '--bind <address>',
      'address to listen on (LAB_API_BIND; default: the server address of the SSH session, else 127.0.0.1)',
    )
    .option('--port <number>', 'port to listen on (LAB_API_PORT; default: 8090)')
    .option('--auth-user <name>', 'user name for Basic authentication (LAB_API_USER)')
    .option(
      '--auth-password <password>',
      'its password; visible in the process list at first, so prefer LAB_API_PASSWORD_FILE or LAB_API_PASSWORD',
    )
    .option('--tls <how>', 'self-signed: the service makes a certificate and keeps it (LAB_API_TLS)')
    .option('--tls-cert <file>', 'TLS certificate chain, PEM (LAB_API_TLS_CERT)')
    .option('--tls-key <file>', 'TLS private key, PEM (LAB_API_TLS_KEY)')
    .option(
      '--cli <program>',
      'lab CLI: auto (netlab, else the bundled engine), engine, containerlab, a name on PATH, or a path (LAB_API_CLI; default: auto; LAB_API_CLIS names several)',
    )
    .option(
      '--data-dir <directory>',
      'where jobs are kept (LAB_API_DATA_DIR; default: $XDG_STATE_HOME/lab-api, else ~/.local/state/lab-api)',
    );
}

export function addApiCommand(program: Command): void {
  withServiceFlags(program.command('api').description('serve the HTTP API'))
    .addOption(
      new Option('--on-shutdown <what>', 'what happens to running jobs when the service is stopped')
        .choices(['leave', 'cancel'])
        .default('leave'),
    )
    .addHelpText(
      'after',
      '\nEvery setting but --on-shutdown is also a variable, and there are more variables\nthan flags: .env.example lists them all. A flag beats a variable.',
    )
    .action(async (options: ApiOptions) => {
      // The other commands do without the HTTP server and all that it needs: it takes longer to load than they run.
      const { serve } = await import('./serve.ts');
      await serve(options);
    });
}
