/** The check that every test of the API makes: it must object to what no route declares. */
import { describe, expect, test } from '@jest/globals';
import { assertDeclared } from '../../support/declared-replies.ts';

function reply(status: number, mediaType: string, text: string, headers = {}) {
  const all = { 'content-type': mediaType, ...headers };
  const json = (): unknown => JSON.parse(text);
  return { status, headers: all, bytes: Buffer.from(text), text, json: text === '' ? undefined : json() };
}

const json = 'application/json; charset=utf-8';
const problem = 'application/problem+json';

describe('a reply', () => {
  test.each([
    ['GET', '/healthz', 200, json, '{"status":"ok"}'],
    ['GET', '/jobs/job-1', 304, json, ''],
    ['HEAD', '/healthz', 200, json, ''],
    ['DELETE', '/jobs/job-1', 204, json, ''],
    ['GET', '/nowhere', 200, json, '{}'],
    ['GET', '/jobs/job-1/log?output=text', 206, 'text/plain; charset=utf-8', '"a part"'],
  ])('that is as declared passes: %s %s %i', (method, target, ...[status, type, text]) => {
    expect(() => assertDeclared(method, target, reply(status, type, text))).not.toThrow();
  });

  test.each([
    ['/healthz', 200, json, '{"status":"fine"}', /status: /],
    ['/healthz', 201, json, '{"status":"ok"}', /status 201 is not declared/],
    ['/healthz', 500, 'text/html', '"oops"', /no problem document/],
    ['/healthz', 200, 'text/html', '"ok"', /type text\/html is not declared/],
    ['/readyz', 304, json, '', /status 304 is not declared/],
    ['/healthz', 200, json, '{"status":"ok","mood":"fine"}', /additional properties .*mood/],
    ['/jobs', 404, problem, '{"code":"log-not-found"}', /the error log-not-found is not declared/],
    ['/jobs?limit=1', 200, json, '{"jobs":[]}', /nextCursor/],
    ['/jobs/job-1', 404, problem, '{"status":404}', /requestId/],
  ])('that is not does not: GET %s %i %s', (target, status, ...[type, text, words]) => {
    expect(() => assertDeclared('GET', target, reply(status, type, text))).toThrow(words);
  });

  test('with a header that is not declared does not pass', () => {
    const given = reply(200, json, '{"status":"ok"}', { link: '</>; rel="next"' });
    expect(() => assertDeclared('GET', '/healthz', given)).toThrow(/the header Link is not declared/);
  });
});
