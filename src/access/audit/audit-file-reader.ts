/** Reads the file of the audit from its end, also while it grows, is rotated away, or has lines that are none of the audit. */
import type { FileHandle } from 'node:fs/promises';
import { AppError, invalidField, messageOf, systemCode } from '../../lib/app-error.ts';
import { linesBackwards, readBetween, ShorterFile, type Line } from '../../lib/files/lines-backwards.ts';
import { openPlainFile } from '../../lib/files/plain-file.ts';
import { findExcess } from '../../lib/text/json-bounds.ts';
import { sha256Of } from '../../lib/text/sha256.ts';
import {
  auditRecordSchema,
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  type AuditReader,
  type AuditRecord,
} from '../model/audit-record.ts';

/** Longer than any line of the audit: a dozen fields of 1,000 characters, each written as `\u0000`. */
const maxLineBytes = 256 * 1024;
/** For one page: less than a second. Both bound it, for lines may be short. */
const maxReadBytes = 32 * 1024 * 1024;
const maxReadLines = 250_000;
/** A page ends early at so many bytes of lines, as a page of jobs does. */
const maxPageBytes = 1024 * 1024;
/** The bytes before a cursor that its checksum is of: the end of a line, with times and ids of requests. */
const checkedBytes = 512;
/** Lines are in the order of their times, unless the clock of the machine was set back: by more than this is not expected. */
const clockSlackMs = 3_600_000;

interface Found {
  readonly record: AuditRecord;
  readonly line: Line;
}

/** Matching lines of one block. */
interface FoundInBlock {
  readonly found: readonly Found[];
  /** The reading has got to this offset, in bytes. */
  readonly reached: number;
  /** All lines of the block. */
  readonly count: number;
  /** The time of the oldest line in the block, whether or not it matches. */
  readonly oldest: string | undefined;
}

/** Every line of the audit begins with the time. */
const beginning = Buffer.from('{"time":"');

/** Undefined for a line that was cut off, or is none of the audit. */
function recordIn({ bytes }: Line): AuditRecord | undefined {
  const isOfAudit = bytes.subarray(0, beginning.length).equals(beginning);
  if (!isOfAudit || findExcess(bytes) !== undefined) return undefined;
  try {
    return auditRecordSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function isOfKind(record: AuditRecord, { user, lab, action, isRefused }: AuditFilter): boolean {
  const { event, error, operation } = record;
  if (event === 'gap') return true;
  if (user !== undefined && record.user !== user) return false;
  if (lab !== undefined && record.lab !== lab) return false;
  if (action !== undefined && record.action !== action && operation !== action) return false;
  return isRefused === undefined || isRefused === (error !== undefined || event === 'more-refusals');
}

/** Looks for matching lines before an offset. Ends at the beginning of the file, or well before `since`. */
async function* foundBefore(
  handle: FileHandle,
  end: number,
  filter: AuditFilter,
): AsyncGenerator<FoundInBlock, void, void> {
  const [sinceMs, untilMs] = [filter.since?.getTime() ?? -Infinity, filter.until?.getTime() ?? Infinity];
  for await (const { lines, reached, count } of linesBackwards(handle, { end, maxLineBytes })) {
    const found: Found[] = [];
    let oldest: string | undefined;
    let newestMs = -Infinity;
    for (const line of lines) {
      const record = recordIn(line);
      if (record === undefined) continue;
      oldest = record.time;
      const ms = Date.parse(oldest);
      newestMs = Math.max(newestMs, ms);
      if (ms >= sinceMs && ms < untilMs && isOfKind(record, filter)) found.push({ record, line });
    }
    // A whole block must be older: a machine that starts with a wrong clock writes single lines with old times.
    const isOver = oldest !== undefined && newestMs < sinceMs - clockSlackMs;
    yield { found, reached: isOver ? 0 : reached, count, oldest };
    if (isOver) return;
  }
}

async function checksumBefore(handle: FileHandle, offset: number): Promise<string> {
  const bytes = await readBetween(handle, Math.max(0, offset - checkedBytes), offset);
  return sha256Of(bytes.toString('latin1')).slice(0, 16);
}

async function cursorAt(handle: FileHandle, offset: number): Promise<string | null> {
  return offset === 0 ? null : `${offset}-${await checksumBefore(handle, offset)}`;
}

/** The offset of a cursor. @throws AppError `invalid-request` when other bytes stand before it than when it was made. */
async function offsetOf(cursor: string, handle: FileHandle, size: number): Promise<number> {
  const [offset = '', checksum] = cursor.split('-');
  const at = Number(offset);
  if (at <= size && (await checksumBefore(handle, at)) === checksum) return at;
  throw invalidField('cursor', 'the audit file was rotated or shortened since then: begin without a cursor');
}

function cannotRead(why: string, cause: unknown): AppError {
  return new AppError('storage-fault', `the audit file (LAB_API_AUDIT_FILE) cannot be read: ${why}`, {
    cause,
  });
}

/** @throws AppError `storage-fault`. */
async function openAudit(file: string): Promise<FileHandle> {
  const opening = await openPlainFile(file);
  if (opening.kind === 'found') return opening.handle;
  if (opening.kind === 'absent')
    throw cannotRead('it is not there (SIGHUP makes the service begin a new one)', opening.error);
  throw cannotRead(messageOf(opening.error), opening.error);
}

/** An error of reading as clients see it. */
function asAppError(error: unknown): unknown {
  if (error instanceof ShorterFile)
    return new AppError('conflict', 'the audit file was shortened while it was read: ask again', {
      cause: error,
    });
  if (error instanceof AppError || systemCode(error) === undefined) return error;
  return cannotRead(messageOf(error), error);
}

async function pageIn(
  handle: FileHandle,
  filter: AuditFilter,
  { limit, cursor, signal }: AuditPageRequest,
): Promise<AuditPage> {
  const { size } = await handle.stat();
  const end = cursor === undefined ? size : await offsetOf(cursor, handle, size);
  const entries: AuditRecord[] = [];
  let [bytes, linesRead, lookedBackTo] = [0, 0, null as string | null];
  const endAt = async (offset: number): Promise<AuditPage> => ({
    entries,
    nextCursor: await cursorAt(handle, offset),
    lookedBackTo,
  });
  for await (const { found, reached, count, oldest } of foundBefore(handle, end, filter)) {
    for (const { record, line } of found) {
      entries.push(record);
      bytes += line.bytes.length;
      lookedBackTo = record.time;
      if (entries.length === limit || bytes >= maxPageBytes) return endAt(line.start);
    }
    lookedBackTo = oldest ?? lookedBackTo;
    linesRead += count;
    const isEnough = end - reached >= maxReadBytes || linesRead >= maxReadLines;
    if (isEnough || signal?.aborted) return endAt(reached);
  }
  return endAt(0);
}

export class AuditFileReader implements AuditReader {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async page(filter: AuditFilter, request: AuditPageRequest): Promise<AuditPage> {
    const handle = await openAudit(this.#file);
    try {
      return await pageIn(handle, filter, request);
    } catch (error) {
      throw asAppError(error);
    } finally {
      await handle.close();
    }
  }

  async *all(filter: AuditFilter): AsyncGenerator<readonly AuditRecord[], void, void> {
    const handle = await openAudit(this.#file);
    try {
      const { size } = await handle.stat();
      for await (const { found } of foundBefore(handle, size, filter))
        yield found.map(({ record }) => record);
    } catch (error) {
      throw asAppError(error);
    } finally {
      await handle.close();
    }
  }
}
