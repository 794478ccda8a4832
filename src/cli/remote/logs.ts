/** `lab logs`: the log of a job on another machine, on this terminal. */
import type { Command } from 'commander';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { JobState } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ConnectionError } from '../../client/service-error.ts';
import { EscapeStripper, withoutSequences } from '../../lib/text/escape-stripper.ts';
import { endWith, lossTeller } from './ending.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';

interface LogOptions {
  readonly tail?: number | undefined;
  readonly plain: boolean;
  readonly signal?: AbortSignal;
}

/** Writes the log while it grows and returns the last state of the job. Reports each lost connection once. */
export async function printLog(
  client: LabApiClient,
  id: string,
  options: LogOptions,
): Promise<JobState | undefined> {
  const { onLost, reset } = lossTeller();
  const { plain } = options;
  const stripper = new EscapeStripper();
  for await (const news of client.followLog(id, { ...options, onLost })) {
    reset();
    if (news.kind === 'end') return news.state;
    if (news.kind !== 'log') continue;
    const text = plain ? stripper.strip(Buffer.from(news.text)) : news.text;
    // A reader that is slow, or a pipe that is full, holds us up: the log is not piled up in memory.
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }
  return undefined;
}

async function printLogNow(client: LabApiClient, id: string, options: LogOptions): Promise<void> {
  const { body } = await client.readLog(id, options);
  if (!body) return;
  const pieces: AsyncIterable<Uint8Array> = Readable.fromWeb(body);
  try {
    // The service leaves escape sequences out as well, but what is at that address may be no lab-api.
    await pipeline(options.plain ? withoutSequences(pieces) : pieces, process.stdout, { end: false });
  } catch (error) {
    throw new ConnectionError('the connection was lost before the end of the log', { cause: error });
  }
}

function tailOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError(`--tail: "${text}" is not a whole number`);
}

interface Options {
  readonly follow?: boolean;
  readonly tail?: string;
  readonly raw?: boolean;
}

export function addLogsCommand(program: Command): void {
  withServerOptions(program.command('logs').description('print the log of a job of a lab-api server'))
    .argument('<id>')
    .option('-f, --follow', 'print new output until the job ends')
    .option('-n, --tail <lines>', 'only the last lines')
    .option('--raw', 'keep the escape sequences (colours) of the lab CLI')
    .action(async (id: string, { follow, tail, raw }: Options, command: Command) =>
      endWith(command, async () => {
        const options = { tail: tailOf(tail), plain: !raw };
        const client = await clientFor(command);
        if (follow) await printLog(client, id, options);
        else await printLogNow(client, id, options);
      }),
    );
}
