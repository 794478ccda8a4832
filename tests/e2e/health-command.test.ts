import { afterAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, runProgram, startProgram } from '../support/service.ts';

const { because, it: withTls } = testUnless(opensslMissing);

const ground = makeGround();

async function health(env: Readonly<Record<string, string>>) {
  const run = runProgram(['health'], { PATH: process.env['PATH'], HOME: ground.root, ...env });
  return { exitCode: await run.exit, output: run.output() };
}

const servers: net.Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** The port of something else than lab-api. */
async function listen(server: net.Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return String((server.address() as net.AddressInfo).port);
}

describe('lab health', () => {
  test('finds a service without a password, and its end', async () => {
    const program = await startProgram({ ground });
    const env = { LAB_API_PORT: new URL(program.url).port };
    expect(await health(env)).toEqual({ exitCode: 0, output: 'ok\n' });
    expect(await health({ ...env, LAB_API_BIND: '0.0.0.0' })).toEqual({ exitCode: 0, output: 'ok\n' });
    await program.end();
    const { exitCode, output } = await health(env);
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^lab health: connect ECONNREFUSED 127\.0\.0\.1:\d+; LAB_API_BIND and LAB_API_PORT say [^\n]+\n$/,
    );
  });

  withTls(`asks with TLS below the base path, and needs no password${because}`, async () => {
    const pair = makePair(ground.root, 'example.org');
    const files = {
      LAB_API_TLS_CERT: path.join(ground.root, 'c'),
      LAB_API_TLS_KEY: path.join(ground.root, 'k'),
    };
    writeFileSync(files.LAB_API_TLS_CERT, pair.cert);
    writeFileSync(files.LAB_API_TLS_KEY, pair.key);
    const password = path.join(ground.root, 'password');
    writeFileSync(password, 'secret\n');
    const settings = {
      ...files,
      LAB_API_BASE_PATH: '/netlab',
      LAB_API_USER: 'ops',
      LAB_API_PASSWORD_FILE: password,
      LAB_API_DATA_DIR: path.join(ground.root, 'tls-data'),
    };
    const client = { tls: { rejectUnauthorized: false } };
    const program = await startProgram({ ground, env: settings, client });
    const env = { ...settings, LAB_API_PORT: new URL(program.url).port };
    expect(await health(env)).toEqual({ exitCode: 0, output: 'ok\n' });
    // Thirty wrong passwords are answered 429: that is alive as well.
    const wrong = { Authorization: `Basic ${Buffer.from('ops:wrong').toString('base64')}` };
    for (let failures = 0; failures < 30; failures += 1) await program.get('/netlab/healthz', wrong);
    expect((await program.get('/netlab/healthz')).status).toBe(429);
    expect(await health(env)).toEqual({ exitCode: 0, output: 'ok\n' });
    const elsewhere = { ...env, LAB_API_DATA_DIR: path.join(ground.root, 'of-none') };
    expect(await health(elsewhere)).toEqual({ exitCode: 0, output: 'ok\n' });
    expect((await health({ ...elsewhere, LAB_API_TLS_CERT: '', LAB_API_TLS_KEY: '' })).exitCode).toBe(1);
    // As it listens, and not as it would after the next start.
    const edited = { ...env, LAB_API_TLS_CERT: '', LAB_API_TLS_KEY: '', LAB_API_BASE_PATH: '' };
    expect(await health({ ...edited, LAB_API_PORT: '2' })).toEqual({ exitCode: 0, output: 'ok\n' });
  });

  test('finds a service whose settings were edited, or are wrong now, and its end', async () => {
    const dataDir = path.join(ground.root, 'edited-data');
    const program = await startProgram({ ground, env: { LAB_API_DATA_DIR: dataDir } });
    const settings = path.join(ground.root, 'settings');
    const env = { LAB_API_SETTINGS_FILE: settings };
    for (const text of ['LAB_API_PORT=2\n', 'LAB_API_PORT=x\nLAB_API_BIND=192.0.2.1\n']) {
      writeFileSync(settings, `LAB_API_DATA_DIR=${dataDir}\n${text}`, { mode: 0o600 });
      expect(await health(env)).toEqual({ exitCode: 0, output: 'ok\n' });
    }
    writeFileSync(settings, 'neither\n');
    expect(await health({ ...env, LAB_API_DATA_DIR: dataDir })).toEqual({ exitCode: 0, output: 'ok\n' });
    // Killed, it leaves its note behind.
    await program.end('SIGKILL');
    writeFileSync(settings, `LAB_API_DATA_DIR=${dataDir}\nLAB_API_PORT=2\n`);
    expect((await health(env)).output).toContain('connect ECONNREFUSED 127.0.0.1:2;');
  });

  test('another program on the port is not alive', async () => {
    const other = http.createServer((_request, response) => response.writeHead(404).end());
    expect(await health({ LAB_API_PORT: await listen(other) })).toEqual({
      exitCode: 1,
      output: 'lab health: the service answers with HTTP status 404\n',
    });
  });

  test('a service that hangs is not alive', async () => {
    const silent = net.createServer((socket) => void socket.on('error', () => undefined).resume());
    expect(await health({ LAB_API_PORT: await listen(silent) })).toEqual({
      exitCode: 1,
      output: 'lab health: no answer within 4 seconds\n',
    });
  });

  test('says in one line what it cannot work with', async () => {
    expect(await health({ LAB_API_PORT: '0' })).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^lab health: LAB_API_PORT is 0: [^\n]+\n$/),
    });
    expect(await health({ LAB_API_PORT: 'x', LAB_API_USER: 'ops' })).toEqual({
      exitCode: 1,
      output:
        'lab health: LAB_API_PORT: "x" is not a whole number from 0 to 65535; ' +
        'LAB_API_USER is set but LAB_API_PASSWORD (or LAB_API_PASSWORD_FILE) is not; they belong together\n',
    });
  });
});
