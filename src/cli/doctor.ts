import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import type { Flags } from '../config/settings.ts';
import { systemCode } from '../lib/app-error.ts';
import { withServiceFlags } from './api.ts';
import { whyNotRead } from './remote/server.ts';

interface DoctorOptions extends Flags {
  readonly settings?: string;
  readonly json?: boolean;
}

function readSettings(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    const remedy = systemCode(error) === 'EACCES' ? `; sudo cat ${file} | lab doctor --settings -` : '';
    process.stderr.write(`lab doctor: --settings: ${whyNotRead(file, error)}${remedy}\n`);
    process.exit(2);
  }
}

/** `lab doctor`: looks at this machine and at what the service would be started with. Exit code 1 on anything red. */
export function addDoctorCommand(program: Command): void {
  withServiceFlags(
    program
      .command('doctor')
      .description('check what the service and its labs need, and say how to fix problems'),
  )
    // Not --env-file: Node takes that for its own, wherever it stands.
    .option('--settings <file>', 'file with the environment variables of the service; - for standard input')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nRun it as the user of the service and with the environment variables of the service.',
    )
    .action(async ({ settings, json, ...flags }: DoctorOptions) => {
      const content = settings === undefined ? undefined : readSettings(settings);
      const [{ diagnose }, { checkSettingsFile }, { asJson, asTable }] = await Promise.all([
        import('../doctor/diagnose.ts'),
        import('../doctor/settings-file.ts'),
        import('../doctor/report.ts'),
      ]);
      const findings = content === undefined ? [] : checkSettingsFile(content);
      const reports = [
        ...findings.map((finding) => ({ name: 'settings file', finding })),
        ...(await diagnose({ ...process.env, ...parseEnv(content ?? '') }, flags)),
      ];
      const isColored = process.stdout.isTTY && !process.env['NO_COLOR'];
      const text = json ? asJson(reports) : asTable(reports, { isColored, columns: process.stdout.columns });
      // Not process.exit: a pipe may not have taken it all yet.
      process.exitCode = reports.some(({ finding }) => finding.kind === 'failed') ? 1 : 0;
      process.stdout.write(text);
    });
}
