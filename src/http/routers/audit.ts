import * as z from 'zod';
import {
  auditCursorPattern,
  auditRecordSchema,
  type AuditFilter,
  type AuditReader,
} from '../../access/model/audit-record.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { auditFormats, sendAudit, type AuditFormat } from '../reply/audit-export.ts';
import { flagParameter, momentParameter, once, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const formsOfTime = 'a time, a date (UTC), or how long ago, such as `24h` or `7d`';

const filterShape = {
  user: once.min(1, 'must be the name of a user').optional().describe('Requests of this user.'),
  lab: once.min(1, 'must be a lab instance').optional().describe('Requests about this lab instance.'),
  action: once
    .min(1, 'must be an action or an operationId')
    .optional()
    .describe('Jobs of this action, such as `up`, or requests with this `operationId`, such as `removeJob`.'),
  since: momentParameter().optional().describe(`Requests that ended then or later: ${formsOfTime}.`),
  until: momentParameter().optional().describe(`Requests that ended before: ${formsOfTime}.`),
  refused: flagParameter()
    .optional()
    .describe(
      '`true`: only requests that got an error, and `more-refusals`; `false`: only those that did not.',
    ),
  ...hostQuery.shape,
};

const listSchema = z.object({
  ...filterShape,
  limit: wholeNumberParameter(1, 500)
    .default(100)
    .describe('At most so many lines; a page ends early at a mebibyte of lines.'),
  cursor: once
    .regex(auditCursorPattern, 'must be the nextCursor of the page before')
    .optional()
    .describe('The `nextCursor` of the page before: the lines before that.'),
});

const formats = Object.keys(auditFormats) as AuditFormat[];

const exportSchema = z.object({
  ...filterShape,
  format: z
    .enum(formats, { error: `must be one of ${formats.join(', ')}` })
    .default('jsonl')
    .describe(
      "`jsonl`: JSON Lines, with all fields. `csv`: RFC 4180 with a line of names; a text that begins with `=`, `+`, `-` or `@` has `'` before it, so that no spreadsheet takes it for a formula.",
    ),
});

const pageSchema = z
  .object({
    entries: z.array(auditRecordSchema).describe('Newest first.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null when there is nothing more to read.'),
    lookedBackTo: z.iso
      .datetime()
      .nullable()
      .describe(
        'The time of the oldest line that was read, also of one that does not match (RFC 3339, UTC); null if there was none.',
      ),
  })
  .meta({ id: 'AuditPage', description: 'A page of the audit.' });

function filterOf(query: z.output<z.ZodObject<typeof filterShape>>): AuditFilter {
  const { user, lab, action, since, until, refused } = query;
  return {
    user,
    lab,
    action,
    since,
    until,
    isRefused: refused === undefined ? undefined : refused === 'true',
  };
}

/** @throws AppError `not-supported`. */
function readerOf({ auditReader }: HttpContext): AuditReader {
  if (auditReader) return auditReader;
  throw new AppError(
    'not-supported',
    'the audit is in the log of the service: set LAB_API_AUDIT_FILE to keep it in a file, which can be read here',
  );
}

const errors = ['not-supported', 'conflict', 'storage-fault'] as const;

export const listAudit = defineRoute({
  method: 'get',
  path: '/audit',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'listAudit',
  summary: 'Requests that changed something or were refused, newest first',
  description:
    'The lines of `LAB_API_AUDIT_FILE` on this host, without those in files that were rotated away. Every filter must match, but a `gap`, which may stand for any line, is left out by times only. One request reads 32 MiB of the file at most: a page may be short or empty, and `nextCursor` alone tells whether there is more. A cursor from before a rotation is refused (400): begin without one.',
  params: noParams,
  query: listSchema,
  replies: { 200: jsonReply('A page of the audit.', pageSchema) },
  errors,
  handler: async ({ query, context }) => {
    const { limit, cursor } = query;
    const page = await readerOf(context).page(filterOf(query), { limit, cursor });
    return { kind: 'json', status: 200, value: page };
  },
});

export const exportAudit = defineRoute({
  method: 'get',
  path: '/audit/export',
  permission: 'administer',
  about: 'thisHost',
  // It may read a file of gigabytes.
  isForOwnSite: () => true,
  tag: 'service',
  operationId: 'exportAudit',
  summary: 'The audit as a file, newest first',
  description:
    'All lines that `GET /audit` would give for these filters, as they are read. A reply that cannot be sent whole is cut off.',
  params: noParams,
  query: exportSchema,
  replies: {
    200: {
      description: 'The lines.',
      content: { 'application/x-ndjson': 'bytes', 'text/csv': 'bytes' },
      headers: ['Cache-Control', 'Content-Disposition'],
    },
  },
  errors,
  handler: async ({ query, req, res, context }) => {
    const lines = readerOf(context).all(filterOf(query));
    await sendAudit({ req, res, shutdown: context.shutdown }, query.format, lines);
    return { kind: 'sent' };
  },
});
