/** The list of labs of netlab, or of the engine: read once for each change, though many requests need it. */
import { CORE_SCHEMA, load } from 'js-yaml';
import { messageOf, systemCode } from '../../../lib/app-error.ts';
import { LruCache } from '../../../lib/cache/lru-cache.ts';
import { stampOf } from '../../../lib/files/file-stamp.ts';
import { readPlainBytesSync, TooLongFile } from '../../../lib/files/plain-file.ts';
import { isMapping } from '../../../lib/mapping.ts';
import { parseJson, readForeign, type Form } from '../../system/foreign-file.ts';
import type { LabEntries, LabEntry } from '../status-driver.ts';

/** A machine has 199 multilab ids. */
const labsMax = 1_000;
/** Topologies and records of labs have less than ten levels; some thousand would exhaust the stack. */
const depthMax = 100;

/** The value of the YAML that netlab wrote. @throws Error for any other text, and one that is too deep. */
export function loadYaml(text: string): unknown {
  return load(text, { schema: CORE_SCHEMA, maxDepth: depthMax, maxAliases: depthMax });
}

/** JSON, which the engine writes, is quicker read by itself; what only begins like it may be YAML. */
function valueOf(bytes: Buffer): unknown {
  const isBraced = bytes.subarray(0, 1).toString() === '{';
  const text = bytes.toString('utf8');
  try {
    if (isBraced) return parseJson(bytes);
  } catch {
    // YAML, then.
  }
  if (text.trim() === '') return null;
  return loadYaml(text);
}

/**
 * The entries of a list of labs such as netsim/utils/status.py writes: by id, a mapping that has a `dir`. JSON is YAML
 * too. @throws Error for any other text.
 */
function entriesIn(bytes: Buffer): readonly (readonly [string, LabEntry])[] {
  const document = valueOf(bytes);
  if (document === null || document === undefined) return [];
  if (!isMapping(document)) throw new Error('it is no list of labs');
  const entries = Object.entries(document);
  if (entries.length > labsMax) throw new Error(`it has more than ${labsMax} labs`);
  return entries.flatMap(([id, entry]) =>
    isMapping(entry) && typeof entry['dir'] === 'string' ? [[id, entry] as const] : [],
  );
}

export const recordForm: Form<ReturnType<typeof entriesIn>> = {
  name: 'status.yaml',
  // With 199 labs of netlab it has some 1.5 MB.
  maxBytes: 4 * 1024 * 1024,
  // YAML takes some ten times as long as JSON.
  besideBytes: 128 * 1024,
  read: entriesIn,
};

/** Files that are written in place keep their stamp if it happens twice in one tick of the clock of the file system. */
const tickMs = 50;
/** While a lab starts, one change follows the other. */
const looksMost = 5;

type Outcome = { readonly entries: LabEntries } | { readonly error: Error };

class RecordFile {
  readonly #file: string;
  #known: { readonly stamp: string; readonly outcome: Outcome } | undefined;
  #reading: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws Error when it cannot be read; for a long list, also while it is being read and `mayBeOld` is not true. */
  entries(mayBeOld: boolean): LabEntries {
    const stamp = this.#stamp();
    const isKnown = this.#known?.stamp === stamp || this.#readHere(stamp);
    if (!isKnown) void this.see();
    const outcome = isKnown || mayBeOld ? this.#known?.outcome : undefined;
    if (outcome === undefined) throw new Error(`${this.#file} is being read`);
    if ('error' in outcome) throw outcome.error;
    return outcome.entries;
  }

  /** Reads a long list until nothing is known to have changed since. Never rejects. */
  async see(): Promise<void> {
    for (let looks = 0; looks < looksMost; looks += 1) {
      const stamp = this.#stamp();
      if (this.#known?.stamp === stamp || this.#readHere(stamp)) return;
      this.#reading ??= this.#readBeside(stamp).finally(() => (this.#reading = undefined));
      await this.#reading;
    }
  }

  #stamp(): string {
    const { stamp, modifiedMs } = stampOf(this.#file);
    return Math.abs(Date.now() - modifiedMs) < tickMs ? `${stamp} (new)` : stamp;
  }

  /** False for a long list. */
  #readHere(stamp: string): boolean {
    try {
      this.#learn(stamp, entriesIn(readPlainBytesSync(this.#file, recordForm.besideBytes)));
    } catch (error) {
      if (error instanceof TooLongFile) return false;
      this.#fail(stamp, error);
    }
    return true;
  }

  async #readBeside(stamp: string): Promise<void> {
    await readForeign(this.#file, recordForm).then(
      (entries) => this.#learn(stamp, entries),
      (error: unknown) => this.#fail(stamp, error),
    );
  }

  #learn(stamp: string, entries: ReturnType<typeof entriesIn>): void {
    this.#known = { stamp, outcome: { entries: new Map(entries) } };
  }

  #fail(stamp: string, error: unknown): void {
    const isAbsent = systemCode(error) === 'ENOENT';
    const failure = new Error(`${this.#file}: ${messageOf(error)}`, { cause: error });
    this.#known = { stamp, outcome: isAbsent ? { entries: new Map() } : { error: failure } };
  }
}

const records = new LruCache<RecordFile>(16);

function recordIn(file: string): RecordFile {
  const record = records.get(file) ?? new RecordFile(file);
  records.set(file, record);
  return record;
}

/**
 * The entries of the labs in that file. Where there is no file, no lab was ever started. A long list is read beside the event
 * loop: with `mayBeOld`, those from before the last change are given meanwhile.
 * @throws Error when it cannot be read, or is being read.
 */
export function recordedLabs(file: string, mayBeOld = false): LabEntries {
  return recordIn(file).entries(mayBeOld);
}

/** Await it before `recordedLabs`: the list is known then, if it can be read. Never rejects. */
export async function seeRecordedLabs(file: string): Promise<void> {
  await recordIn(file).see();
}
