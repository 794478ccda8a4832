/** Lines of the audit for other programs, as they are read: nothing of them is kept in memory. */
import type { Request, Response } from 'express';
import { auditFields, type AuditRecord } from '../../access/model/audit-record.ts';
import { harmlessText, jsonLine } from '../../lib/text/harmless-text.ts';
import { savedAs } from './send-file.ts';
import { isHead, streamSignal, writePaced } from './stream.ts';

/**
 * A spreadsheet takes such a text for a formula, and a client chooses paths and names (CWE-1236). Where lists are separated by
 * `;`, one begins behind it as well. Some take the full-width forms for the same.
 */
const formula = /(^|;)(?=[\s"]*[=+\-@＝＋－＠])/g;

/** A field of CSV (RFC 4180). Line feeds and the like are written as `\u000a`, so that each line of the audit is one of the file. */
function csvField(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = harmlessText(typeof value === 'string' ? value : JSON.stringify(value));
  const defused = text.replaceAll(formula, "$1'");
  return /[",]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

const csvLine = (values: readonly unknown[]): string => `${values.map(csvField).join(',')}\r\n`;

interface Format {
  readonly mediaType: string;
  readonly extension: string;
  readonly head: string;
  readonly lineOf: (record: AuditRecord) => string;
}

/** JSON Lines has all fields, CSV those that are known. */
export const auditFormats = {
  jsonl: { mediaType: 'application/x-ndjson', extension: 'jsonl', head: '', lineOf: jsonLine },
  csv: {
    mediaType: 'text/csv',
    extension: 'csv',
    head: csvLine(auditFields),
    lineOf: (record) => csvLine(auditFields.map((name) => record[name])),
  },
} as const satisfies Readonly<Record<string, Format>>;

export type AuditFormat = keyof typeof auditFormats;

interface Exchange {
  readonly req: Request;
  readonly res: Response;
  /** Cuts the reply off, so that the client notices that it is not whole. */
  readonly shutdown: AbortSignal;
}

/** Sends the lines to the end, unless the client goes away. @throws what the lines throw; a reply that has begun is cut off then. */
export async function sendAudit(
  { req, res, shutdown }: Exchange,
  name: AuditFormat,
  lines: AsyncGenerator<readonly AuditRecord[], void, void>,
): Promise<void> {
  const { mediaType, extension, head, lineOf }: Format = auditFormats[name];
  const signal = streamSignal(res, shutdown);
  try {
    // Before the head of the reply: a file that cannot be read gets an error of its own.
    let piece = await lines.next();
    res.status(200).set({
      'Content-Type': `${mediaType}; charset=utf-8`,
      'Content-Disposition': savedAs(`audit.${extension}`),
      'Cache-Control': 'private, no-cache',
    });
    if (isHead(req)) return void res.end();
    res.on('error', () => undefined);
    await writePaced(res, head);
    for (; piece.done !== true && !signal.aborted; piece = await lines.next()) {
      const text = piece.value.map(lineOf).join('');
      if (text !== '') await writePaced(res, text);
    }
    if (signal.aborted) res.destroy();
    else res.end();
  } finally {
    await lines.return();
  }
}
