/**
 * `state/` keeps the records of labs between two commands. This file has the registry of one user's labs: every lab
 * that was started and not taken down. It is one file, LAB_HOME/status.json, in the format of `status --all --format
 * json`, plus `topology`.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { isLabEntry, type LabEntries, type LabEntry } from '../core/lab-status.ts';
import {
  makeDirectory,
  readOwnFile,
  removeTemporaries,
  replaceFile,
  temporariesOf,
} from '../system/files.ts';
import { withLock } from '../system/lock.ts';

const waitSeconds = 10;

/** Where the registry is. */
export function registryFile(home: string): string {
  return path.join(home, 'status.json');
}

/**
 * The current time in the format of Python's isoformat, which netlab uses: microseconds, and an offset instead of
 * `Z`.
 */
function timestamp(separator: 'T' | ' '): string {
  return new Date().toISOString().replace('Z', '000+00:00').replace('T', separator);
}

/** The entry with one more line in its log. */
export function logged(
  entry: Omit<LabEntry, 'timestamp' | 'log_line'>,
  line: string,
  status: LabEntry['status'] = entry.status,
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

/** @throws EngineError when the file is damaged. */
export async function readRegistry(home: string): Promise<LabEntries> {
  const file = registryFile(home);
  try {
    const document: unknown = JSON.parse(await readOwnFile(file));
    const entries = Object.entries(document as object);
    if (entries.every((pair): pair is [string, LabEntry] => isLabEntry(pair[1]))) return new Map(entries);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return new Map();
    if (code === 'ELOOP') throw new EngineError(`${file} is a symbolic link: remove it`);
    if (code !== undefined || error instanceof EngineError) throw error;
  }
  // The engine writes the file whole or not at all, so another program changed it. A guess could lose running labs.
  throw new EngineError(`${file} is damaged; move it away, then stop labs that still run with "lab down"`);
}

async function writeRegistry(home: string, entries: LabEntries): Promise<void> {
  const file = registryFile(home);
  try {
    await replaceFile(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`, 0o600);
  } catch (error) {
    if (entries.size > 0) throw error;
    // The disk may be full. Reporting that there is no lab needs no file.
    await rm(file, { force: true });
  }
}

/** Applies `change` to the entries and writes them unless it throws. Every other command waits meanwhile. */
export async function updateRegistry(
  home: string,
  change: (entries: Map<string, LabEntry>) => void | Promise<void>,
): Promise<void> {
  await makeDirectory(home, 0o700);
  const busy = `the state in ${home} has been locked by another command for ${waitSeconds} seconds`;
  await withLock(path.join(home, 'status.lock'), { waitSeconds, busy }, async () => {
    const entries = new Map(await readRegistry(home));
    await change(entries);
    await removeTemporaries(registryFile(home));
    await writeRegistry(home, entries);
  });
}

/**
 * Removes the leftovers of a command that was killed while it wrote the registry. For commands that do not change the
 * registry themselves.
 */
export async function tidyRegistry(home: string): Promise<void> {
  if ((await temporariesOf(registryFile(home))).length > 0) await updateRegistry(home, () => undefined);
}
