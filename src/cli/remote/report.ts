/** `lab report`: the reports that the lab CLI of a server makes of a lab. */
import type { Command } from 'commander';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface ReportOptions {
  readonly output: 'table' | 'json';
}

async function printList(client: LabApiClient, lab: string, { output }: ReportOptions): Promise<void> {
  const reports = await client.reports(lab);
  if (output === 'json') return printJson({ reports });
  const rows = reports.map(({ name, format, description }) =>
    [name, format, description ?? ''].map(harmless),
  );
  process.stdout.write(await asColumns(['NAME', 'FORMAT', 'DESCRIPTION'], rows));
}

export function addReportCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('report')
        .description('print a report of a lab on a lab-api server; without a name, list the reports'),
    ),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .argument('[name]', 'such as addressing, bgp.md or wiring.html')
    .action(async (lab: string, name: string | undefined, options: ReportOptions, command: Command) =>
      endWith(command, async () => {
        if (name !== undefined && options.output === 'json')
          throw new UsageError('--output json is for the list of reports: leave out NAME');
        const client = await clientFor(command);
        if (name === undefined) return printList(client, lab, options);
        const text = await client.report(lab, name);
        // A file gets the text as it is; a terminal gets nothing that it would obey.
        process.stdout.write(process.stdout.isTTY ? harmlessTextLines(text) : text);
      }),
    );
}
