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
      'password of that user; the process list shows it during the start, so prefer LAB_API_PASSWORD_FILE or LAB_API_PASSWORD',
    )
    .option('--tls <how>', 'self-signed: the service creates and renews its own certificate (LAB_API_TLS)')
    .option('--tls-cert <file>', 'TLS certificate chain, PEM (LAB_API_TLS_CERT)')
    .option('--tls-key <file>', 'TLS private key, PEM (LAB_API_TLS_KEY)')
    .option(
      '--cli <program>',
      'lab CLI: auto (netlab, else the bundled engine), engine, containerlab, a name on PATH, or a path (LAB_API_CLI; default: auto; for several lab CLIs: LAB_API_CLIS)',
    )
    .option(
      '--runtime <kind>',
      'containers of netlab: auto, containers (Docker, containerlab) or namespaces (LAB_API_RUNTIME; default: auto)',
    )
    .option(
      '--data-dir <directory>',
      'directory in which jobs are stored (LAB_API_DATA_DIR; default: $XDG_STATE_HOME/lab-api, else ~/.local/state/lab-api)',
    );
}

export function addApiCommand(program: Command): void {
  withServiceFlags(program.command('api').description('serve the HTTP API'))
    .addOption(
      new Option('--on-shutdown <what>', 'what to do with running jobs when the service stops')
        .choices(['leave', 'cancel'])
        .default('leave'),
    )
    .addHelpText(
      'after',
      '\nAll settings except --on-shutdown can also be set by environment variables. Some have\nno flag: .env.example lists all variables. A flag takes precedence over its variable.',
    )
    .action(async (options: ApiOptions) => {
      // SIGHUP ends a process that has no listener, and modules take half a second to load. Settings are read after that.
      process.on('SIGHUP', () => undefined);
      // The other commands do without the HTTP server and all that it needs: it takes longer to load than they run.
      const { serve } = await import('./serve.ts');
      await serve(options);
    });
}
