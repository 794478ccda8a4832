/** The check that every test of the API makes: it must object to what no route declares. */
import { describe, expect, test } from '@jest/globals';
import { assertDeclared } from '../../support/declared-replies.ts';

function reply(status: number, mediaType: string, text: string, headers = {}) {
  return {
    status,
    headers: { 'content-type': mediaType, ...headers },
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
    { method: 'GET', target: '/healthz', given: reply(200, json, '{"status":"ok"}') },
    { method: 'GET', target: '/jobs/job-1', given: reply(304, json, '') },
    { method: 'HEAD', target: '/healthz', given: reply(200, json, '') },
    { method: 'DELETE', target: '/jobs/job-1', given: reply(204, json, '') },
    { method: 'GET', target: '/nowhere', given: reply(200, json, '{}') },
    {
      method: 'GET',
      target: '/jobs/job-1/log?output=text',
      given: reply(206, 'text/plain; charset=utf-8', 'a part'),
    },
  ] as const)('that is as declared passes: $method $target', ({ method, target, given }) => {
    expect(() => assertDeclared(method, target, given)).not.toThrow();
  });

  test.each([
    { method: 'GET', target: '/healthz', given: reply(200, json, '{"status":"fine"}'), problem: /status: / },
    {
      method: 'GET',
      target: '/healthz',
      given: reply(201, json, '{"status":"ok"}'),
      problem: /status 201 is not declared/,
    },
    {
      method: 'GET',
      target: '/healthz',
      given: reply(500, 'text/html', 'oops'),
      problem: /no problem document/,
    },
    {
      method: 'GET',
      target: '/healthz',
      given: reply(200, 'text/html', 'ok'),
      problem: /type text\/html is not declared/,
    },
    { method: 'GET', target: '/healthz', given: reply(304, json, ''), problem: /status 304 is not declared/ },
    {
      method: 'GET',
      target: '/healthz',
      given: reply(200, json, '{"status":"ok","mood":"fine"}'),
      problem: /additional properties .*mood/,
    },
    {
      method: 'GET',
      target: '/healthz',
      given: reply(200, json, '{"status":"ok"}', { link: '</>; rel="next"' }),
      problem: /the header Link is not declared/,
    },
    {
      method: 'GET',
      target: '/jobs',
      given: reply(404, 'application/problem+json', '{"code":"log-not-found"}'),
      problem: /the error log-not-found is not declared/,
    },
    { method: 'GET', target: '/jobs?limit=1', given: reply(200, json, '{"jobs":[]}'), problem: /nextCursor/ },
    {
      method: 'GET',
      target: '/jobs/job-1',
      given: reply(404, 'application/problem+json', '{"status":404}'),
      problem: /requestId/,
    },
  ] as const)('that is not does not: $method $target $#', ({ method, target, given, problem }) => {
    expect(() => assertDeclared(method, target, given)).toThrow(problem);
  });
});
