/** The labs of one person: one file, in the very shape that `status --all --format json` prints, plus `topology`. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { systemCode } from '../lib/app-error.ts';
import { EngineError } from './engine-error.ts';
import { withLock } from './lock.ts';
import { removeTemporaries, temporariesOf } from './temporary-files.ts';

/** What was done last: a lab that is `starting` or `stopping` while nobody works on it was left half-way. */
export type LabStatus = 'starting' | 'started' | 'stopping';

export interface LabEntry {
  readonly dir: string;
  readonly log: readonly string[];
  readonly log_line: string;
  readonly name: string;
  readonly providers: readonly string[];
  readonly status: LabStatus;
  readonly timestamp: string;
  readonly topology: string;
}

type LabEntries = ReadonlyMap<string, LabEntry>;

const waitSeconds = 10;

export function stateFile(home: string): string {
  return path.join(home, 'status.json');
}

/** Python's isoformat, which netlab uses: microseconds, and an offset instead of `Z`. */
function timestamp(separator: 'T' | ' '): string {
  return new Date().toISOString().replace('Z', '000+00:00').replace('T', separator);
}

/** The entry with one more line in its log. */
export function logged(
  entry: Omit<LabEntry, 'timestamp' | 'log_line'>,
  line: string,
  status: LabStatus = entry.status,
): LabEntry {
  const { dir, log, name, providers, topology } = entry;
  return {
    dir,
    log: [...log, `${timestamp('T')}: ${line}`],
    log_line: line,
    name,
    providers,
    status,
    timestamp: timestamp(' '),
    topology,
  };
}

function isEntry(value: unknown): value is LabEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { dir, log, status } = value as Partial<Record<keyof LabEntry, unknown>>;
  return typeof dir === 'string' && Array.isArray(log) && typeof status === 'string';
}

/** Every lab that was started and not taken down. */
export async function readState(home: string): Promise<LabEntries> {
  const file = stateFile(home);
  try {
    const document: unknown = JSON.parse(await readFile(file, 'utf8'));
    const entries = Object.entries(document as object);
    if (entries.every((pair): pair is [string, LabEntry] => isEntry(pair[1]))) return new Map(entries);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    if (systemCode(error) !== undefined) throw error;
  }
  // Ours are written whole or not at all: somebody else was here, and guessing could lose running labs.
  throw new EngineError(`cannot understand ${file}; move it away, then stop what is left with "lab down"`);
}

/** Changes the state; what `change` returns is written when it is another map. Everybody else waits meanwhile. */
export async function updateState(
  home: string,
  change: (entries: Map<string, LabEntry>) => void | Promise<void>,
): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const busy = `the state in ${home} has been locked by another command for ${waitSeconds} seconds`;
  await withLock(path.join(home, 'status.lock'), { waitSeconds, busy }, async () => {
    const entries = new Map(await readState(home));
    await change(entries);
    const text = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
    await removeTemporaries(stateFile(home));
    await writeFileAtomic(stateFile(home), text, { mode: 0o600 });
  });
}

/** For a command that changes nothing: removes what one that was killed while it wrote the state left behind. */
export async function tidyState(home: string): Promise<void> {
  if ((await temporariesOf(stateFile(home))).length > 0) await updateState(home, () => undefined);
}
