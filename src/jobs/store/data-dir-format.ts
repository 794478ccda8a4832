/**
 * `format.json`: which versions may use the data directory. A version that finds a larger number than its own does not start:
 * it would set aside what it cannot read. The versions before this file wrote none.
 */
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { fileMode } from './job-files.ts';

/**
 * Raise it when the version before would misread or set aside what this one writes: a new action, state, reason or kind in any file,
 * or another meaning of a field. A new field that may be absent needs no other number.
 */
export const dataDirFormat = 1;

const schema = z.object({ format: z.int().positive(), version: z.string() });

export interface Noted {
  /** Of this program. */
  readonly version: string;
  readonly log: Logger;
}

interface UnknownFormat {
  readonly detail: string;
  readonly remedy: string;
}

/** Undefined where there is no file. @throws Error when it is of no use. */
async function readFormat(file: string): Promise<z.output<typeof schema> | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind === 'found') return schema.parse(JSON.parse(reading.text));
  if (reading.kind === 'absent') return undefined;
  throw reading.error;
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'format.json');
}

/** Why this version must not use the data directory; undefined when it may. Writes nothing. */
export async function unknownFormat(dataDir: string): Promise<UnknownFormat | undefined> {
  const file = fileIn(dataDir);
  try {
    const found = await readFormat(file);
    if (found === undefined || found.format <= dataDirFormat) return undefined;
    return {
      detail: `the data directory ${dataDir} has format ${found.format} of lab-api ${found.version}, and this version knows ${dataDirFormat}`,
      remedy: `install lab-api ${found.version} or newer, or restore a backup from before that upgrade`,
    };
  } catch {
    return {
      detail: `${file} cannot be read or understood: which version wrote the data directory is unknown`,
      remedy: 'restore the file from a backup, or remove it if no newer version was ever installed',
    };
  }
}

/** Notes the format, for the versions before. A full disk is no reason not to start: jobs may be running, and need a service. */
export async function noteFormat(dataDir: string, { version, log }: Noted): Promise<void> {
  const file = fileIn(dataDir);
  try {
    if ((await readFormat(file))?.format === dataDirFormat) return;
    await writeDurably(file, `${JSON.stringify({ format: dataDirFormat, version })}\n`, fileMode);
  } catch (error) {
    log.warn('the format of the data directory cannot be noted', { file, cause: messageOf(error) });
  }
}
