/** Files and archives of files, as they are read: nothing of them is kept in memory. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { AppError, systemCode } from '../../lib/app-error.ts';
import { packArchive, type ArchiveFormat, type PackItem } from '../../lib/archives/pack.ts';
import { FileChanged, readWhole } from '../../lib/archives/read-whole.ts';
import { fileETag } from '../../labs/workspaces/workspace-files.ts';
import { requestedRange } from './byte-range.ts';
import { cutOffWhenStalled, isHead } from './stream.ts';

interface Exchange {
  readonly req: Request;
  readonly res: Response;
}

/** Makes a browser save the reply instead of showing it, because the service does not control its content (RFC 6266). */
export function savedAs(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/** The error of a reply that broke off. The connection is cut, so that the client notices. */
function asReplyError(error: unknown): unknown {
  if (error instanceof FileChanged) return new AppError('conflict', error.message, { cause: error });
  return error;
}

/** Whether a range may be sent: a client that has a part of another file must not join the two (RFC 9110, section 13.1.5). */
function isSameFile(req: Request, etag: string): boolean {
  const given = req.get('If-Range');
  return given === undefined || given === etag;
}

/** A name for what is saved, and the type of the bytes. */
interface Labels {
  readonly name: string;
  readonly type?: string;
}

/** Sends an open file, or the part of it that is asked for, and closes it. */
export async function sendFile(
  { req, res }: Exchange,
  handle: FileHandle,
  { name, type = 'application/octet-stream' }: Labels,
): Promise<void> {
  try {
    const stats = await handle.stat({ bigint: true });
    const [size, etag] = [Number(stats.size), fileETag(stats)];
    res.set({
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-cache',
      'Content-Type': type,
    });
    if (req.fresh) return void res.status(304).end();
    res.set('Content-Disposition', savedAs(name));
    const range = isSameFile(req, etag) ? requestedRange(req, size) : 'whole';
    if (range === 'unsatisfiable') {
      res.set('Content-Range', `bytes */${size}`);
      throw new AppError('range-not-satisfiable', `the file has ${size} bytes`);
    }
    const part = range === 'whole' ? { from: 0, to: size } : { from: range.start, to: range.end + 1 };
    if (range !== 'whole') res.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
    res.set('Content-Length', String(part.to - part.from));
    if (isHead(req)) return void res.end();
    cutOffWhenStalled(res);
    await pipeline(Readable.from(readWhole(handle, part), { objectMode: false }), res);
  } catch (error) {
    throw asReplyError(error);
  } finally {
    await handle.close();
  }
}

const archiveTypes: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
};

/** Sends an archive while it is made, without `Content-Length`. */
export async function sendArchive(
  { req, res }: Exchange,
  { name, format }: { readonly name: string; readonly format: ArchiveFormat },
  items: AsyncIterable<PackItem>,
): Promise<void> {
  res.status(200).set({
    'Content-Type': archiveTypes[format],
    'Content-Disposition': savedAs(`${name}.${format}`),
    'Cache-Control': 'private, no-cache',
  });
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  try {
    await packArchive(format, items, res);
  } catch (error) {
    res.destroy();
    const isOfFiles = error instanceof FileChanged || error instanceof AppError;
    const isOfSystem = systemCode(error)?.startsWith('E') === true && !systemCode(error)?.startsWith('ERR_');
    // Anything else is what the streams say when their client goes away.
    if (isOfFiles || isOfSystem) throw asReplyError(error);
  }
}
