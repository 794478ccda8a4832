/** The lines of the audit as administrators read them, and how they ask for them. docs/access.md explains each field. */
import * as z from 'zod';
import type { AuditEntry } from './audit.ts';

const fields = {
  time: z.iso.datetime().describe('When the request ended or was opened (RFC 3339, UTC).'),
  event: z
    .string()
    .describe(
      '`request`; `opened`: a terminal, capture or followed command has begun; `more-refusals`: so many (`count`) refused requests have no line; `gap`: so many lines (`count`) did not reach the file.',
    ),
  user: z
    .string()
    .optional()
    .describe('The user; absent without a login. A refused login has it if the secret was right.'),
  role: z.string().optional().describe('The role that the user had.'),
  loggedInBy: z
    .string()
    .optional()
    .describe(
      'How the user logged in: `nothing` (no users), `password`, `token`, `key` (of SSH), `session`, `provider` (single sign-on), `proxy` or `host` (of the cluster).',
    ),
  tokenId: z
    .string()
    .optional()
    .describe('The id of the token that the user logged in with, or that has expired.'),
  address: z.string().optional().describe('The address of the client.'),
  operation: z.string().optional().describe('The `operationId` of the request; absent without a route.'),
  action: z.string().optional().describe('The action of the job.'),
  job: z.string().optional().describe('The job that the request was about.'),
  lab: z.string().optional().describe('The lab instance that the request was about.'),
  node: z.string().optional().describe('The node, or the nodes of a command in many.'),
  interface: z.string().optional().describe('The interface of the node.'),
  workspace: z.string().optional().describe('The workspace that the request was about.'),
  file: z.string().optional().describe('The path of the file in the workspace.'),
  snapshot: z.string().optional().describe('The snapshot that the request was about.'),
  shares: z
    .string()
    .optional()
    .describe(
      'With whom the request shares it from now on: `ann, @class:operator` is the user ann, and the group class with the right to change it. Empty: with none any more.',
    ),
  subject: z.string().optional().describe('The user whom the request was about.'),
  token: z.string().optional().describe('The id of the token that the request was about.'),
  session: z.string().optional().describe('The id of the session that the request was about.'),
  workdir: z.string().optional().describe('The directory of the job or the lab.'),
  method: z.string().optional().describe('The method of the request.'),
  path: z.string().optional().describe('The path of the request, without the query.'),
  status: z.int().optional().describe('The HTTP status of the reply; absent if the client left before it.'),
  error: z.string().optional().describe('The `code` of the error.'),
  durationMs: z.int().optional().describe('The length of the request, in milliseconds.'),
  aborted: z.literal(true).optional().describe('Present if the client left before it had the whole reply.'),
  count: z.int().optional().describe('Of `more-refusals` and `gap`: the number of requests or lines.'),
  requestId: z.string().optional().describe('The `X-Request-Id` of the request.'),
} satisfies Readonly<Record<keyof AuditEntry | 'time' | 'count', z.ZodType>>;

/** Fields of newer versions are kept. */
export const auditRecordSchema = z
  .looseObject(fields)
  .meta({ id: 'AuditRecord', description: 'A line of the audit. Other fields may be added.' });

export type AuditRecord = z.output<typeof auditRecordSchema>;

/** All fields that are known, in the order of a table. */
export const auditFields = Object.keys(fields);

/** Each condition that is given must hold. A `gap` may stand for any line: only the times exclude it. */
export interface AuditFilter {
  readonly user?: string | undefined;
  readonly lab?: string | undefined;
  /** The action of a job, or an `operationId`. */
  readonly action?: string | undefined;
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  /** Whether the request has got an error. */
  readonly isRefused?: boolean | undefined;
}

export interface AuditPageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Ends the page early, when the client is gone. */
  readonly signal?: AbortSignal | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditRecord[];
  /** Null when there is nothing more to read. */
  readonly nextCursor: string | null;
  /** The time of the oldest line that was read; null if there was none. */
  readonly lookedBackTo: string | null;
}

/** Reads the file of the audit: the present one, not those that were rotated away. */
export interface AuditReader {
  /**
   * Reads a bounded part of the file, so that a page may be short or empty although there is more.
   * @throws AppError `invalid-request` for a cursor that does not fit the file any more, `conflict`, `storage-fault`.
   */
  readonly page: (filter: AuditFilter, request: AuditPageRequest) => Promise<AuditPage>;
  /**
   * All matching lines, newest first, in pieces that may be empty; the file is closed when the caller stops.
   * @throws AppError `conflict`, `storage-fault`.
   */
  readonly all: (filter: AuditFilter) => AsyncGenerator<readonly AuditRecord[], void, void>;
}

/** The form of a cursor: an offset in bytes, and what stands before it as a checksum. It names no file. */
export const auditCursorPattern = /^[1-9][0-9]{0,14}-[0-9a-f]{16}$/;
