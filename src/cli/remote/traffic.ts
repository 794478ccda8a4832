/** `lab traffic`: the traffic of the links of a lab, from two readings of its counters. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { LabTraffic } from '../../client/api-types.ts';
import { isSameReading, ratesBetween, type EndRate, type Flow } from '../../client/link-rates.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { formatSize } from '../../lib/text/size.ts';
import { complain, endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface TrafficOptions {
  readonly output: 'table' | 'json';
  readonly interval: string;
}

const shortestMs = 100;
const longestMs = 60 * 60_000;

function intervalOf(given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms >= shortestMs && ms <= longestMs) return ms;
  throw new UsageError(`--interval: "${given}" is not a duration from 100ms to 1h: write 2s`);
}

/** The first reading that is not this one: the service shares a reading for a while. */
async function readingAfter(client: LabApiClient, lab: string, before: LabTraffic, ms: number) {
  for (;;) {
    await delay(ms);
    const now = await client.traffic(lab);
    if (now.nodes.length === 0 || !isSameReading(before, now)) return now;
  }
}

const flowWords = ({ bytes, packets }: Flow): string[] => [
  `${formatSize(Math.round(bytes))}/s`,
  `${Math.round(packets * 10) / 10}/s`,
];

function rowOf(link: string, { node, interface: name, rx, tx }: EndRate): string[] {
  const lost = [rx.errors + tx.errors, rx.drops + tx.drops].map(String);
  return [link, `${node}:${name}`, ...flowWords(rx), ...flowWords(tx), ...lost].map(harmless);
}

const head = ['LINK', 'END', 'IN', 'PACKETS', 'OUT', 'PACKETS', 'ERRORS', 'DROPS'];

export function addTrafficCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program.command('traffic').description('show the traffic of the links of a lab on a lab-api server'),
    ),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .option('--interval <duration>', 'how long it is measured', '2s')
    .action(async (lab: string, { output, interval }: TrafficOptions, command: Command) =>
      endWith(command, async () => {
        const ms = intervalOf(interval);
        const client = await clientFor(command);
        const before = await client.traffic(lab);
        const now = await readingAfter(client, lab, before, ms);
        const rates = [...ratesBetween(before, now)];
        if (output === 'json')
          return printJson({ links: rates.map(([id, ends]) => ({ id, ends })), unread: now.unread });
        const rows = rates.flatMap(([id, ends]) => ends.map((end) => rowOf(id, end)));
        process.stdout.write(await asColumns(head, rows));
        for (const { node, interface: name, reason } of now.unread)
          complain(`${node}${name === null ? '' : `:${name}`} is not measured: ${reason}`);
      }),
    );
}
