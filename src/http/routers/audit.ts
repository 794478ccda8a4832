import * as z from 'zod';
import {
  auditCursorPattern,
  auditRecordSchema,
  type AuditFilter,
  type AuditReader,
} from '../../access/model/audit-record.ts';
import { actions } from '../../labs/model/actions.ts';
import { AppError } from '../../lib/app-error.ts';
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { HttpContext } from '../context.ts';
import { auditFormats, sendAudit, type AuditFormat } from '../reply/audit-export.ts';
import { streamSignal } from '../reply/stream.ts';
import { flagParameter, momentParameter, once, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, hostQuery, jsonReply, noParams, type Route } from '../route.ts';

const formsOfTime = 'a time, a date (UTC), or how long ago, such as `24h` or `7d`';

const ownOperations = ['listAudit', 'exportAudit'] as const;

/** An operation that is not known would match no line, as if there were none. */
function actionParameter(operationIds: readonly string[]) {
  const known = [...actions, ...operationIds].toSorted();
  return z
    .enum(known, {
      error: ({ input }) =>
        typeof input === 'string'
          ? `is neither an action nor an operationId${didYouMean(input, known)}`
          : 'must be given once',
    })
    .meta({ id: 'AuditAction', description: 'The action of a job, or the `operationId` of a request.' });
}

const filterShape = (action: ReturnType<typeof actionParameter>) => ({
  user: once.min(1, 'must be the name of a user').optional().describe('Requests of this user.'),
  lab: once.min(1, 'must be a lab instance').optional().describe('Requests about this lab instance.'),
  action: action
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
});

type FilterShape = ReturnType<typeof filterShape>;

const pageShape = {
  limit: wholeNumberParameter(1, 500)
    .default(100)
    .describe('At most so many lines; a page ends early at a mebibyte of lines.'),
  cursor: once
    .regex(auditCursorPattern, 'must be the nextCursor of the page before')
    .optional()
    .describe('The `nextCursor` of the page before: the lines before that.'),
};

const formats = Object.keys(auditFormats) as AuditFormat[];

const exportShape = {
  format: z
    .enum(formats, { error: `must be one of ${formats.join(', ')}` })
    .default('jsonl')
    .describe(
      "`jsonl`: JSON Lines, with all fields. `csv`: RFC 4180 with a line of names; a text that begins with `=`, `+`, `-` or `@`, also after `;` or as a full-width character, has `'` before it, so that no spreadsheet takes it for a formula.",
    ),
};

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

function filterOf(query: z.output<z.ZodObject<FilterShape>>): AuditFilter {
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

const listAudit = (shape: FilterShape): Route =>
  defineRoute({
    method: 'get',
    path: '/audit',
    permission: 'administer',
    about: 'thisHost',
    tag: 'service',
    operationId: ownOperations[0],
    summary: 'Requests that changed something or were refused, newest first',
    description:
      'The lines of `LAB_API_AUDIT_FILE` on this host, without those in files that were rotated away. Every filter must match, but a `gap`, which may stand for any line, is left out by times only. One request reads 32 MiB or 250,000 lines of the file at most: a page may be short or empty, and `nextCursor` alone tells whether there is more. A cursor from before a rotation is refused (400): begin without one.',
    params: noParams,
    query: z.object({ ...shape, ...pageShape }),
    replies: { 200: jsonReply('A page of the audit.', pageSchema) },
    errors,
    handler: async ({ query, res, context }) => {
      const { limit, cursor } = query;
      const signal = streamSignal(res, context.shutdown);
      const page = await readerOf(context).page(filterOf(query), { limit, cursor, signal });
      return { kind: 'json', status: 200, value: page };
    },
  });

const exportAudit = (shape: FilterShape): Route =>
  defineRoute({
    method: 'get',
    path: '/audit/export',
    permission: 'administer',
    about: 'thisHost',
    // It may read a file of gigabytes.
    isForOwnSite: () => true,
    tag: 'service',
    operationId: ownOperations[1],
    summary: 'The audit as a file, newest first',
    description:
      'All lines that `GET /audit` would give for these filters, as they are read. A reply that cannot be sent whole is cut off.',
    params: noParams,
    query: z.object({ ...shape, ...exportShape }),
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

/** The routes of the audit, which know the operations of all others. */
export function auditRoutes(others: readonly Route[]): readonly Route[] {
  const operationIds = [...others.map(({ operationId }) => operationId), ...ownOperations];
  const shape = filterShape(actionParameter(operationIds));
  return [listAudit(shape), exportAudit(shape)];
}
