import { expect } from '@jest/globals';
import { STATUS_CODES } from 'node:http';
import type { Reply } from './http-client.ts';

/** What a stack trace or the inside of the service looks like in a reply. */
export const insides = /node_modules|node:internal|\.[jt]s:\d+|^\s+at /m;

/** Checks every member of the problem document (RFC 9457) and that it says nothing about the inside of the service. */
export function expectProblem(reply: Reply, status: number, code: string): void {
  expect({ status: reply.status, body: reply.text }).toMatchObject({ status });
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json\b/);
  const document = reply.json;
  expect(document).toMatchObject({
    type: `urn:lab-api:error:${code}`,
    title: STATUS_CODES[status],
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.stringMatching(/^\S/),
    code,
    requestId: reply.headers['x-request-id'],
  });
  expect(document.error).toBe(document.detail);
  expect(reply.text).not.toMatch(insides);
}

/** The fields that the problem document names. */
export function wrongFields(reply: Reply): string[] {
  return (reply.json.errors as { field: string }[]).map(({ field }) => field);
}
