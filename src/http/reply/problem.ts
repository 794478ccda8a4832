/** The one place that turns an error into a reply: `application/problem+json` (RFC 9457). */
import { STATUS_CODES } from 'node:http';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { countedResources } from '../../access/model/quotas.ts';
import { jobStateMeta, jobStates } from '../../jobs/model/job.ts';
import { AppError, messageOf, type FieldError } from '../../lib/app-error.ts';
import { errorCodes, errorSpec, type ErrorCode } from '../../lib/error-codes.ts';
import { harmlessText, harmlessTextLines } from '../../lib/text/harmless-text.ts';
import { formatSize } from '../../lib/text/size.ts';
import { describeJsonMistake } from '../../lib/text/json-mistake.ts';
import { jsonText, sendJson } from './json.ts';

const basic = 'Basic realm="lab-api", charset="UTF-8"';
const bearer = 'Bearer realm="lab-api"';
const invalidToken = `${bearer}, error="invalid_token", error_description="the token is not known, was revoked, or has expired"`;

/**
 * Whether a script of a page has sent the request, and not the user of the browser. Browsers send `Sec-Fetch-Mode`, but over plain
 * HTTP only to their own machine. Without it, the name of the browser and a request for a page (`text/html`) decide.
 */
function isOfPage({ headers }: Pick<Request, 'headers'>): boolean {
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode !== 'navigate';
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') ?? false;
  return isBrowser && !(headers.accept?.includes('text/html') ?? false);
}

/**
 * Returns the challenges of a 401 (RFC 7617, section 2; RFC 6750, section 3). A script of a page gets the one for tokens only: at
 * the one for Basic, the browser would open a window of its own for the password.
 */
function challengesFor(req: Pick<Request, 'headers'>): string[] {
  const hasToken = /^bearer /i.test(req.headers.authorization ?? '');
  return [...(isOfPage(req) ? [] : [basic]), hasToken ? invalidToken : bearer];
}

/** The types of errors of body-parser. */
const bodyErrors: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  'entity.parse.failed': { code: 'invalid-json', message: 'the body is not valid JSON' },
  'entity.too.large': { code: 'payload-too-large', message: 'the body is over the limit' },
};

/** Any thrown value as an AppError. An unexpected value becomes `internal`, without its details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof URIError) return new AppError('invalid-request', 'the path is not validly encoded');
  // Only body-parser throws errors with a status; that of zlib about a damaged gzip body has no `type`.
  if (typeof error === 'object' && error !== null && 'status' in error) {
    const known = 'type' in error ? bodyErrors[String(error.type)] : undefined;
    // `body` is what body-parser could not parse.
    const mistake = 'body' in error ? describeJsonMistake(String(error.body)) : undefined;
    const limit = 'limit' in error ? ` of ${formatSize(Number(error.limit))}` : '';
    if (known) {
      const sentence = [known.message + limit, mistake].filter((part) => part !== undefined).join(': ');
      return new AppError(known.code, sentence, { cause: error });
    }
    if (Number(error.status) < 500)
      return new AppError('invalid-request', `the body cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
  }
  return new AppError('internal', 'an internal error occurred; the log of the service has the details', {
    cause: error,
  });
}

const fieldErrorSchema = z
  .object({
    field: z.string().describe('The field as the client wrote it, `a.b` for one inside another, or `body`.'),
    message: z.string().describe('The error, and the allowed values.'),
  })
  .meta({ id: 'FieldError', description: 'One wrong field, parameter or header of a request.' });

const refusedQuotaSchema = z
  .object({
    kind: z.enum(['user', 'group', 'server']).describe('The kind of limit, as in `GET /quotas`.'),
    name: z.string().nullable().describe('The user or the group; null for the server.'),
    resource: z.enum(countedResources).describe('The resource, as in `GET /quotas`.'),
    limit: z.number().min(0).describe('How many there may be, or bytes.'),
    used: z.number().min(0).describe('How many there are, or bytes.'),
    wanted: z
      .number()
      .min(0)
      .nullable()
      .describe('How many more the request needs, or bytes; null if its nodes cannot be counted.'),
    left: z.number().min(0).describe('How many more would fit, or bytes.'),
    yours: z
      .array(z.string())
      .describe('The things of the user: ids of labs or jobs, or names of workspaces; the first 20.'),
    yourCount: z.int().min(0).describe('The number of all things of the user.'),
  })
  .meta({ id: 'RefusedQuota', description: 'The limit that the request would break (`over-quota`).' });

export const problemSchema = z
  .looseObject({
    type: z.string().describe('`urn:lab-api:error:` and the `code`.'),
    title: z.string().describe('The name of the HTTP status.'),
    status: z.int().min(400).max(599).describe('The HTTP status.'),
    detail: z.string().describe('The cause and the remedy, as a sentence.'),
    instance: z.string().describe('The path of the request, with its query.'),
    code: z.enum(errorCodes).meta({
      id: 'ErrorCode',
      description: 'The kind of error, for programs. New versions may add codes.',
    }),
    requestId: z.string().describe('Names the request in the log of the service.'),
    error: z.string().describe('The same as `detail`: clients of `netlab api` read this one.'),
    errors: z
      .array(fieldErrorSchema)
      .optional()
      .describe('The errors of single fields, if the error is about fields of the request.'),
    warnings: z
      .array(z.string())
      .optional()
      .describe('Parts of the request that are ignored, which may explain the error.'),
    state: z
      .enum(jobStates)
      .meta(jobStateMeta)
      .optional()
      .describe('Where the job is (`job-active`, `conflict`).'),
    conflictingJobId: z
      .string()
      .optional()
      .describe('The id of the job that has the working directory (`workdir-busy`, `workspace-busy`).'),
    jobId: z
      .string()
      .optional()
      .describe('The id of the job that the key stands for (`idempotency-key-reused`).'),
    quota: refusedQuotaSchema.optional(),
    output: z
      .array(z.string())
      .optional()
      .describe('The last lines that the lab CLI printed (`lab-cli-failed`).'),
    lab: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "A document of the lab CLI's own, passed on as it is: what the list of all labs knows of the instance (`lab-cli-failed`, `lab-cli-timeout`).",
      ),
  })
  .meta({
    id: 'Problem',
    description: 'Why a request was refused or could not be answered (RFC 9457).',
  });

function harmlessError({ field, message }: FieldError): FieldError {
  return { field: harmlessText(field), message: harmlessTextLines(message) };
}

export function problemDocument(
  error: AppError,
  req: Pick<Request, 'originalUrl' | 'id'>,
): Record<string, unknown> {
  const { status } = errorSpec(error.code);
  // Names in it may come from a stranger, and clients print it.
  const detail = harmlessTextLines(error.message);
  return {
    type: `urn:lab-api:error:${error.code}`,
    title: STATUS_CODES[status],
    status,
    detail,
    instance: req.originalUrl,
    code: error.code,
    requestId: req.id,
    ...(error.errors.length > 0 && { errors: error.errors.map(harmlessError) }),
    ...error.extra,
    // Clients of `netlab api` read this one.
    error: detail,
  };
}

const codes = new WeakMap<Response, ErrorCode>();

/** The error code of a reply; undefined for a reply that is no problem document. */
export function codeOf(res: Response): ErrorCode | undefined {
  return codes.get(res);
}

/** For a reply that tells of an error in another form: the audit names it all the same. */
export function noteCode(res: Response, code: ErrorCode): void {
  codes.set(res, code);
}

/** Sets the status and the headers of the reply to an error, and returns its body. */
export function beginProblem(error: AppError, req: Request, res: Response): string {
  codes.set(res, error.code);
  if (error.retryAfterSeconds !== undefined) res.set('Retry-After', String(error.retryAfterSeconds));
  if (error.code === 'unauthorized') res.set('WWW-Authenticate', challengesFor(req));
  res
    .status(errorSpec(error.code).status)
    .setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  return jsonText(problemDocument(error, req));
}

export function sendProblem(error: AppError, req: Request, res: Response): void {
  sendJson(res, beginProblem(error, req, res));
}
