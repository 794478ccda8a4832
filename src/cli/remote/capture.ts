/** `lab capture --server URL LAB NODE INTERFACE`: the packets at an interface of a lab on another machine, as pcap or text. */
import { Command } from 'commander';
import { once } from 'node:events';
import type { CaptureFilter } from '../../client/node-client.ts';
import { ConnectionError } from '../../client/service-error.ts';
import { endWith } from './ending.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { number } from './start-request.ts';

/** Longer than the longest capture, which sends nothing while there are no packets. */
const bodyTimeout = 3_700_000;

interface Options {
  readonly filter?: string;
  readonly packets?: string;
  readonly seconds?: string;
  readonly snaplen?: string;
  readonly text?: boolean;
}

function filterOf({ filter, packets, seconds, snaplen, text }: Options): CaptureFilter {
  const numberOf = (given: string | undefined, option: string): number | undefined =>
    given === undefined ? undefined : number(given, option);
  return {
    filter,
    packets: numberOf(packets, '--packets'),
    seconds: numberOf(seconds, '--seconds'),
    snaplen: numberOf(snaplen, '--snaplen'),
    ...(text === true && { output: 'text' }),
  };
}

async function writeOut(packets: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of packets) if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

async function capture(words: readonly string[], options: Options, command: Command): Promise<void> {
  const [lab, node, interfaceName, ...more] = words;
  if (lab === undefined || node === undefined || interfaceName === undefined || more.length > 0)
    throw new UsageError('give a lab, a node and an interface: lab capture LAB NODE INTERFACE');
  if (process.stdout.isTTY && options.text !== true)
    throw new UsageError('packets are not for a terminal: add --text, > FILE, or | wireshark -k -i -');
  const filter = filterOf(options);
  const client = await clientFor(command, { bodyTimeout });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const { signal } = stop;
  try {
    const { body } = await client.node(lab, node).capture(interfaceName, filter, { signal });
    await writeOut((body ?? []) as AsyncIterable<Uint8Array>);
  } catch (error) {
    // Ctrl-C is the usual end of a capture, as of one of tcpdump(8).
    if (signal.aborted) return;
    if (!(error instanceof TypeError)) throw error;
    throw new ConnectionError('the connection was lost before the end of the capture', { cause: error });
  }
}

/** A command of its own: on this machine, all that follows `lab capture` is for the lab CLI. */
export async function captureOnServer(args: readonly string[], globals: readonly string[]): Promise<void> {
  const command = withServerOptions(new Command('lab capture'))
    .usage('[options] <lab> <node> <interface>')
    .argument('[words...]', 'id of the lab (see lab labs), node, and interface')
    .option('--filter <expression>', 'only these packets, as pcap-filter(7) selects them; default: all')
    .option('--packets <number>', 'end after so many packets')
    .option('--seconds <seconds>', 'end after this time; default: 60, at most 3600')
    .option('--snaplen <bytes>', 'keep so many bytes of each packet; default: 262144')
    .option('--text', 'print the packets as text, as tcpdump -nev does')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (words: string[], options: Options) =>
      endWith(command, async () => capture(words, options, command)),
    );
  await command.parseAsync([...globals, ...args], { from: 'user' });
}
