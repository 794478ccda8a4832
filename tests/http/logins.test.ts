/** Who is let in, on a server with a users file: by password, by token, and with everything that is neither. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../support/eventually.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { basic, bearer, logIn, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

const challenges = 'Basic realm="lab-api", charset="UTF-8", Bearer realm="lab-api"';

let team: Team;
let service: RunningService;
let addresses = 0;
/** An address that has not failed yet: one that fails too often is locked out. */
const newAddress = (): string => `127.8.0.${(addresses += 1)}`;
const ask = async (headers: Readonly<Record<string, string>>, from = newAddress()) =>
  service.request('/jobs', { from, headers });

beforeAll(async () => {
  team = await makeTeam(makeGround().root);
  service = await startService({ env: team.env });
});

describe('is let in', () => {
  test.each([
    ['a password kept by scrypt', basic('ops', passwords.ops), 'ops', 'admin', 'password'],
    ['a password kept by bcrypt', basic('vera', passwords.vera), 'vera', 'viewer', 'password'],
    ['a token', bearer(tokens.ci), 'ci', 'operator', 'token'],
    [
      'a token of another case of the scheme',
      { Authorization: `bearer ${tokens.ci}` },
      'ci',
      'operator',
      'token',
    ],
  ])('%s', async (_what, headers, ...[user, role, loggedInBy]) => {
    const reply = await service.get('/session', headers);
    expect(reply).toMatchObject({ status: 200, json: { user, role, loggedInBy, expiresAt: null } });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('as what the role may, and no more', async () => {
    const viewer = basic('vera', passwords.vera);
    expect((await service.get('/session', viewer)).json.permissions).toEqual(['read']);
    expect((await service.get('/jobs', viewer)).status).toBe(200);
    expectProblem(await service.post('/jobs', { action: 'status' }, viewer), 403, 'forbidden');
    expect((await service.get('/session', bearer(tokens.ci))).json.permissions).toEqual(['read', 'operate']);
  });

  test('a user of LAB_API_USER beside those of the file', async () => {
    const own = { LAB_API_USER: 'root', LAB_API_PASSWORD: 'first' };
    const both = await startService({ env: { ...team.env, ...own } });
    expect((await both.get('/session', basic('root', 'first'))).json).toMatchObject({ role: 'admin' });
    expect((await both.get('/session', bearer(tokens.ci))).json).toMatchObject({ user: 'ci' });
    expectProblem(await both.get('/session', basic('root', 'second')), 401, 'unauthorized');
  });
});

describe('is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['nothing at all', {}],
    ['the password of another', basic('ops', passwords.vera)],
    ['a user who has tokens only', basic('ci', '')],
    ['a token as a password', basic('ci', tokens.ci)],
    ['nobody', basic('nobody', passwords.ops)],
    ['the name of a property of objects', basic('__proto__', 'x')],
    ['a control character', basic('ops', `${passwords.ops}\n`)],
    ['base64 of the URL alphabet', { Authorization: 'Basic b3BzOj8_Pz8-' }],
    ['base64 with blanks', { Authorization: 'Basic b3Bz Onh4' }],
    ['two sets of words', { Authorization: 'Basic b3BzOng=, Basic b3BzOng=' }],
    ['a cookie of no session', { Cookie: 'lab-session=ses_0123456789abcdef_x' }],
    ['an empty cookie', { Cookie: 'lab-session=' }],
    ['a wrong password beside a cookie', { ...basic('ops', 'wrong'), Cookie: 'lab-session=x' }],
  ])('%s', async (_what, headers) => {
    const reply = await ask(headers);
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers['www-authenticate']).toBe(challenges);
  });

  test.each([
    ['that is not known', 'tok_0000000f_secret-of-ci'],
    ['with another secret', `${tokens.ci}x`],
    ['without its secret', tokens.ci.slice(0, 12)],
    ['with nothing behind its id', `${tokens.ci.slice(0, 12)}_`],
    ['that has expired', tokens.old],
    ['that is empty', ''],
    ['that is none', 'hello'],
    ['with a blank in it', `${tokens.ci} x`],
    ['in quotes', `"${tokens.ci}"`],
    ['with 8-bit characters', 't\u00f6k_0000000c_x'],
  ])('a token %s (RFC 6750, section 3.1)', async (_what, secret) => {
    const reply = await ask(bearer(secret));
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers['www-authenticate']).toMatch(/^Basic realm=.*, Bearer realm="lab-api"/);
    if (secret !== '') expect(reply.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('a page that asks by itself, without the window in which browsers ask for a password', async () => {
    const asked = await ask({ 'Sec-Fetch-Mode': 'cors' });
    expect(asked.headers['www-authenticate']).toBe('Bearer realm="lab-api"');
    const opened = await ask({ 'Sec-Fetch-Mode': 'navigate' });
    expect(opened.headers['www-authenticate']).toBe(challenges);
  });

  // To servers of plain HTTP elsewhere, browsers send no Sec-Fetch headers.
  test.each([
    ['a page that asks by itself', { 'User-Agent': 'Mozilla/5.0 (X11)', Accept: '*/*' }, false],
    ['a WebSocket of a page', { 'User-Agent': 'Mozilla/5.0 (X11)' }, false],
    ['a person with a browser', { 'User-Agent': 'Mozilla/5.0 (X11)', Accept: 'text/html,*/*;q=0.8' }, true],
    ['a program', { 'User-Agent': 'Wget/1.21', Accept: '*/*' }, true],
    ['a program without a name', {}, true],
  ])('%s, where browsers do not say who asks', async (_what, headers, asksPerson) => {
    const reply = await ask(headers);
    expect(reply.headers['www-authenticate']).toBe(asksPerson ? challenges : 'Bearer realm="lab-api"');
  });
});

describe('an address that fails too often', () => {
  test('by wrong tokens is locked out as by wrong passwords', async () => {
    const from = newAddress();
    for (let guess = 0; guess < 30; guess += 1)
      expect((await ask(bearer(`tok_0000000c_${guess}`), from)).status).toBe(401);
    expectProblem(await ask(bearer(tokens.ci), from), 429, 'too-many-attempts');
  });

  test('has at most 30 verdicts, also when hundreds of slow guesses come at once down one connection', async () => {
    const own = await startService({ env: team.env });
    const guess = (n: number, more = ''): string =>
      `GET /jobs HTTP/1.1\r\nHost: localhost\r\n${more}Authorization: ${basic('ops', `${n}`).Authorization}\r\n\r\n`;
    const guesses = Array.from({ length: 299 }, (_, n) => guess(n)).join('');
    const { hostname, port } = new URL(own.url);
    const socket = net.connect(Number(port), hostname);
    // Not ended: Node drops what is under way for a client that has said its last word.
    socket.write(guesses + guess(299, 'Connection: close\r\n'));
    const replies = await text(socket);
    const statuses = [...replies.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => status);
    expect(statuses).toHaveLength(300);
    expect(new Set(statuses)).toEqual(new Set(['401', '429']));
    expect(statuses.filter((status) => status === '401').length).toBeLessThanOrEqual(30);
  });

  test('may go on with the session that it has', async () => {
    const cookie = await logIn(service, { token: tokens.ci });
    const from = newAddress();
    for (let guess = 0; guess < 30; guess += 1) await ask(bearer('x'), from);
    expect((await ask(cookie, from)).status).toBe(200);
    expect((await ask({}, from)).status).toBe(429);
  });
});

test('no word of a login is in the log', async () => {
  const log = new MemoryLogger();
  const own = await startService({ env: team.env, log });
  await own.get('/jobs', basic('ops', 'wrong-word'));
  await own.get('/jobs', bearer('tok_0000000c_wrong-word'));
  await own.get('/jobs', bearer(tokens.ci));
  await own.post('/session', { user: 'ops', password: passwords.ops });
  const lines = JSON.stringify(log.entries);
  for (const word of ['wrong-word', 'secret-of-ci', 'ops: p', 'ses_']) expect(lines).not.toContain(word);
  expect(log.entries.filter(({ message }) => message === 'a login failed')).toHaveLength(2);
});

test('a user who is removed from the file is out, and one whose role changes has the new one', async () => {
  const own = await makeTeam(makeGround().root);
  const changing = await startService({ env: own.env });
  expect((await changing.get('/jobs', basic('ops', passwords.ops))).status).toBe(200);
  expect((await changing.get('/session', bearer(tokens.ci))).json.role).toBe('operator');
  own.change((users) =>
    users.filter(({ name }) => name !== 'ops').map((user) => ({ ...user, role: 'viewer' })),
  );
  await eventually('the new role', async () => {
    const { role } = (await changing.get('/session', bearer(tokens.ci))).json;
    return role === 'viewer' ? true : undefined;
  });
  expectProblem(await changing.get('/jobs', basic('ops', passwords.ops)), 401, 'unauthorized');
});
