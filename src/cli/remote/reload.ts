/** `lab reload`: has a server read its settings again. */
import type { Command } from 'commander';
import type { SettingsChange } from '../../client/api-types.ts';
import { complain, endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface ReloadOptions {
  readonly output: 'table' | 'json';
  readonly host?: string;
}

async function printChange(change: SettingsChange): Promise<void> {
  const { file, changed, needsRestart, warnings } = change;
  if (file === null)
    complain('the server has no settings file (LAB_API_SETTINGS_FILE): its settings stay as they are');
  else if (changed.length + needsRestart.length === 0) complain(`no setting has changed in ${file}`);
  if (changed.length > 0) {
    const rows = changed.map(({ variable, before, after }) =>
      [variable, before ?? '(default)', after ?? '(default)'].map(harmless),
    );
    process.stdout.write(await asColumns(['CHANGED', 'BEFORE', 'NOW'], rows));
  }
  for (const variable of needsRestart) complain(`${variable} changes when the service starts again`);
  for (const warning of warnings) complain(`warning: ${warning}`);
}

export function addReloadCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('reload')
        .description('have a lab-api server read its settings, users and certificate again'),
    ),
  )
    .option('--host <name>', 'host of a cluster; default: the one that answers')
    .action(async ({ output, host }: ReloadOptions, command: Command) =>
      endWith(command, async () => {
        const change = await (await clientFor(command)).hosts.reload(host);
        if (output === 'json') printJson(change);
        else await printChange(change);
      }),
    );
}
