/** The check that every test of the API makes: it must object to what no route declares. */
import { describe, expect, test } from '@jest/globals';
import { assertDeclared } from '../../support/declared-replies.ts';

function reply(status: number, mediaType: string, text: string) {
  return {
    status,
    headers: { 'content-type': mediaType },
    bytes: Buffer.from(text),
    text,
    get json(): unknown {
      return JSON.parse(text);
    },
  };
}

const json = 'application/json; charset=utf-8';

describe('a reply', () => {
  test.each([
    ['GET', '/healthz', reply(200, json, '{"status":"ok"}')],
    ['GET', '/healthz', reply(304, json, '')],
    ['HEAD', '/healthz', reply(200, json, '')],
    ['DELETE', '/jobs/job-1', reply(204, json, '')],
    ['GET', '/nowhere', reply(200, json, '{}')],
    ['GET', '/jobs/job-1/log?output=text', reply(206, 'text/plain; charset=utf-8', 'a part')],
  ] as const)('that is as declared passes: %s %s', (method, target, given) => {
    expect(() => assertDeclared(method, target, given)).not.toThrow();
  });

  test.each([
    ['GET', '/healthz', reply(200, json, '{"status":"fine"}'), /status: /],
    ['GET', '/healthz', reply(201, json, '{"status":"ok"}'), /status 201 is not declared/],
    ['GET', '/healthz', reply(200, 'text/html', 'ok'), /type text\/html is not declared/],
    ['GET', '/jobs?limit=1', reply(200, json, '{"jobs":[]}'), /nextCursor/],
    ['GET', '/jobs/job-1', reply(404, 'application/problem+json', '{"status":404}'), /requestId/],
  ] as const)('that is not does not: %s %s %#', (method, target, given, problem) => {
    expect(() => assertDeclared(method, target, given)).toThrow(problem);
  });
});
