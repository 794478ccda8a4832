/** Which pages may read what the API answers. */
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { crossOrigin } from '../../../../src/http/middleware/cross-origin.ts';
import { answerOf } from '../../../support/answer-of.ts';

const listed = 'https://labs.example';
const app = express().use(
  crossOrigin(['http://other.example', listed]),
  (_req, res) => void res.send('inside'),
);

/** The answer, and of its headers those of CORS. */
async function ask(method: string, headers: Record<string, string>) {
  const { status, text, headers: all } = await answerOf(app, { method, headers });
  const ofCors = Object.entries(all).filter(([name]) => name.startsWith('access-control-'));
  return { status, text, vary: all.vary, cors: Object.fromEntries(ofCors) };
}

const preflight = { 'Access-Control-Request-Method': 'POST' };
const mayRead = {
  'access-control-allow-origin': listed,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': expect.stringMatching(/^[\w-]+(, [\w-]+)+$/),
};

describe('of a listed origin', () => {
  test.each([
    ['a request', 'GET', {}],
    ['a request that says what a preflight says', 'GET', preflight],
    ['OPTIONS that is no preflight', 'OPTIONS', {}],
  ])('%s is answered, and may be read', async (_what, method, headers) => {
    expect(await ask(method, { Origin: listed, ...headers })).toEqual({
      status: 200,
      text: 'inside',
      vary: 'Origin',
      cors: mayRead,
    });
  });

  test('a preflight is answered here, with what may be asked', async () => {
    expect(await ask('OPTIONS', { Origin: listed, ...preflight })).toEqual({
      status: 204,
      text: '',
      vary: 'Origin',
      cors: {
        ...mayRead,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': expect.stringMatching(/^Authorization, [\w-]+(, [\w-]+)+$/),
        'access-control-max-age': '600',
      },
    });
  });
});

test.each([{}, { Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: '' }])(
  'with %j it is as if there were no CORS, and no cache gives that to another page',
  async (headers) => {
    const nothing = { status: 200, text: 'inside', vary: 'Origin', cors: {} };
    expect(await ask('GET', headers)).toEqual(nothing);
    expect(await ask('OPTIONS', { ...headers, ...preflight })).toEqual(nothing);
  },
);
