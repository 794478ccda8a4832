/** The headers of requests and replies with their descriptions for the API document. */
import * as z from 'zod';
import { idempotencyKeyPattern } from './request/idempotency-key.ts';

export const requestHeaders = {
  'X-Request-Id': z
    .string()
    .describe(
      'Names the request in the log of the service: 1 to 128 letters, digits or any of `_ . : -`. Any other value is replaced.',
    ),
  'Idempotency-Key': z
    .string()
    .regex(idempotencyKeyPattern)
    .describe(
      'Makes it safe to send the request again when no reply came: for 24 hours, the same key with the same body is answered with the job that the first request made. 1 to 255 visible ASCII characters, bare or as a quoted string (draft-ietf-httpapi-idempotency-key-header).',
    ),
  'If-Match': z.string().describe('The `ETag` of what is to be changed: 412 when it is another by now.'),
  'If-None-Match': z
    .string()
    .describe('The `ETag` of the reply that the client has: 304 without a body when nothing has changed.'),
  'Cache-Control': z
    .string()
    .describe('`no-cache` waits for a fresh run of the lab CLI, in place of a result that is kept.'),
  Range: z
    .string()
    .describe(
      'One range of bytes, such as `bytes=0-1023` (RFC 9110, section 14). Of a log, only of its text, and only without `offset` and `tail`.',
    ),
  'Last-Event-ID': z
    .string()
    .describe('The `id` of the last event that the client has: the stream goes on right after it.'),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type RequestHeader = Exclude<keyof typeof requestHeaders, 'X-Request-Id'>;

const seconds = z.int().min(0);

export const replyHeaders = {
  'X-Request-Id': z.string().describe('Names the request in the log of the service.'),
  Location: z
    .string()
    .describe('The path of the job, below the address of the server; of a login, the page that comes next.'),
  'Idempotency-Replayed': z
    .literal('true')
    .describe('Stands where the job was made by an earlier request with the same `Idempotency-Key`.'),
  ETag: z.string().describe('Changes with every byte of the reply: for `If-None-Match`.'),
  'Cache-Control': z.string().describe('Whether and how long the reply may be kept.'),
  Age: seconds.describe('How old the document is, in seconds.'),
  Link: z.string().describe('The next page, as `<path>; rel="next"`; absent on the last one.'),
  'Accept-Ranges': z.enum(['bytes', 'none']).describe('Whether the reply supports `Range`.'),
  'Content-Range': z
    .string()
    .describe('Which bytes these are and how many there are, such as `bytes 0-99/1234`.'),
  'Content-Disposition': z.string().describe('The name under which a browser would save it.'),
  'X-Log-Next-Offset': z
    .int()
    .min(0)
    .describe('Where the reply ends, in bytes of the log: the `offset` to go on from.'),
  'X-More-Data': z.enum(['true', 'false']).describe('Whether there is more of the log, now or later.'),
  'Mcp-Session-Id': z
    .string()
    .describe(
      'In the answer to `initialize`: the client sends it with all its messages, so that it can cancel calls.',
    ),
  'Retry-After': seconds.describe('After how many seconds a new attempt may help.'),
  Deprecation: z
    .string()
    .describe('Since when the operation is deprecated, as `@` and seconds since 1970 (RFC 9745).'),
  Sunset: z.string().describe('When a deprecated operation goes at the earliest (RFC 8594).'),
  Upgrade: z.literal('websocket').describe('The protocol of the connection.'),
  'WWW-Authenticate': z.string().describe('How to log in (RFC 7617, RFC 6750).'),
  'Set-Cookie': z
    .string()
    .describe(
      'The secret of the session, for browsers to keep (`HttpOnly`, `SameSite=Strict`), or to forget.',
    ),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type ReplyHeader = Exclude<keyof typeof replyHeaders, 'X-Request-Id'>;
