/** The interfaces of a network namespace with their counters: `/proc/PID/net/dev` (proc_pid_net(5)). */
import { uptime } from 'node:os';
import { readPlainBytes } from '../../lib/files/plain-file.ts';

/** In the order of their columns, which are the same for both directions up to the fourth. */
const counted = ['Bytes', 'Packets', 'Errors', 'Drops'] as const;
/** The columns of received packets; those of sent packets follow. */
const columns = 8;

type Counter = `${'rx' | 'tx'}${(typeof counted)[number]}`;

/** Of an interface since the kernel made it: `rx` came in, `tx` went out. */
export type InterfaceCounters = Readonly<Record<Counter, number>>;

/** By the name that the kernel has for them. */
export type Interfaces = ReadonlyMap<string, InterfaceCounters>;

export interface InterfacesThen {
  /** When they were read: in ms since the machine booted, in steps of 10 ms (proc_uptime(5)). */
  readonly readAtMs: number;
  readonly interfaces: Interfaces;
}

/** The interfaces of the nodes of a lab. */
export interface InterfacesThere {
  /** By node. None that is there is left out, unless there is a `doubt`. */
  readonly found: ReadonlyMap<string, InterfacesThen>;
  /** Why some may be left out, as a clause. */
  readonly doubt: string | null;
}

function countersOf(columnsText: string): InterfaceCounters {
  const values = columnsText.trim().split(/\s+/).map(Number);
  // A counter has 64 bits; JSON is exact up to 2^53.
  const at = (column: number): number => Math.min(values[column] ?? 0, Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(
    counted.flatMap((name, column) => [
      [`rx${name}`, at(column)],
      [`tx${name}`, at(columns + column)],
    ]),
  ) as Record<Counter, number>;
}

/** Reads the text of `/proc/PID/net/dev`. A name has neither a colon nor a space (dev_valid_name of Linux). */
export function parseNetDev(text: string): Interfaces {
  const lines = text.split('\n').slice(2);
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return colon === -1 ? [] : [[line.slice(0, colon).trim(), countersOf(line.slice(colon + 1))] as const];
    }),
  );
}

/** As `readAtMs`. `seconds`: the first number in `/proc/uptime`. */
export function uptimeMs(seconds = uptime()): number {
  return Math.round(seconds * 1_000);
}

/** The interfaces of the network namespace that a process is in; undefined when it is gone, or not ours to look at. */
export async function interfacesOf(pid: number): Promise<Interfaces | undefined> {
  const reading = await readPlainBytes(`/proc/${pid}/net/dev`, {
    maxBytes: 4 * 1024 * 1024,
    followsLinks: true,
  });
  return reading.kind === 'found' ? parseNetDev(reading.bytes.toString('utf8')) : undefined;
}
