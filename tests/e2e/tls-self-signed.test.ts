/** `LAB_API_TLS=self-signed`, as those meet it who start the program and those who call it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { curlLine } from '../../web/dashboard/src/parts/shell-words.ts';
import { fingerprintsOf, readKept, trustFileOf } from '../../src/tls/kept-certificate.ts';
import { eventually } from '../support/eventually.ts';
import { requirement } from '../support/requirements.ts';
import { certificateIn, dayMs, plantPair } from '../support/self-signed.ts';
import {
  makeGround,
  runProgram,
  startProgram,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';

const run = promisify(execFile);
const pairOf = ({ dataDir }: Ground): string => path.join(dataDir, 'tls', 'self-signed.pem');
const trusted = ({ dataDir }: Ground): string =>
  readFileSync(trustFileOf(path.join(dataDir, 'tls', 'x')), 'utf8');

function start(ground: Ground, env: Readonly<Record<string, string>> = {}): Promise<RunningProgram> {
  return startProgram({
    ground,
    env,
    args: ['--tls', 'self-signed'],
    client: { tls: { rejectUnauthorized: false } },
  });
}

/** The number of the certificate that a new connection gets; with `ca`, only when that trusts it. */
async function servedNumber({ url }: RunningProgram, ca?: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const options = { host, port: Number(port), ca, rejectUnauthorized: ca !== undefined };
  const socket = tls.connect(options);
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const numberOf = (file: string): string => certificateIn(file).serialNumber;

describe('LAB_API_TLS=self-signed', () => {
  describe('one word is enough', () => {
    const ground = makeGround();
    const file = trustFileOf(pairOf(ground));
    let program: RunningProgram;
    beforeAll(async () => {
      program = await start(ground, { LAB_API_ALLOWED_HOSTS: 'labs.example.com' });
    });

    test('clients that have the file are served, others are warned', async () => {
      expect(program.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
      const ca = trusted(ground);
      const reply = await program.request('/healthz', { tls: { ca, rejectUnauthorized: true } });
      expect(reply).toMatchObject({ status: 200, json: { status: 'ok' } });
      expect(reply.headers).not.toHaveProperty('strict-transport-security');
      const untrusting = program.request('/healthz', { tls: { rejectUnauthorized: true } });
      await expect(untrusting).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
      expect(statSync(pairOf(ground)).mode & 0o777).toBe(0o600);
      expect(program.run.output()).toContain(`sha256=${certificateIn(pairOf(ground)).fingerprint256}`);
      expect(program.run.output()).not.toContain('PRIVATE KEY');
    });

    test('`lab --cacert FILE` and `lab health` use it', async () => {
      const jobs = runProgram(['--server', program.url, '--cacert', file, 'jobs'], ground.env, ground.root);
      expect(await jobs.exit).toBe(0);
      const { port } = new URL(program.url);
      const env = { ...ground.env, LAB_API_TLS: 'self-signed', LAB_API_PORT: port };
      expect(await runProgram(['health'], env, ground.root).exit).toBe(0);
    });

    const { missing: curlMissing } = requirement('curl');
    (curlMissing === undefined ? test : test.skip)(
      'curl trusts the file, or the pin that the log tells, as in the commands that the page copies',
      async () => {
        const curl = async (...args: string[]) =>
          (await run('curl', ['-sS', ...args, `${program.url}/healthz`])).stdout;
        const pin = /pin="?(sha256\/\/[^\s"]+)/.exec(program.run.output())?.[1] ?? '';
        expect(await curl('--cacert', file)).toContain('ok');
        expect(await curl('-k', '--pinnedpubkey', pin)).toContain('ok');
        const { tlsPin } = (await program.get('/')).json;
        expect(tlsPin).toBe(pin);
        const line = curlLine({ url: program.url, user: null, pin: tlsPin }, { action: 'fly' });
        await expect(run('sh', ['-c', line])).rejects.toMatchObject({
          code: 22,
          stdout: expect.stringContaining('invalid-request'),
        });
        const otherPin = `sha256//${Buffer.alloc(32).toString('base64')}`;
        await expect(curl('-k', '--pinnedpubkey', otherPin)).rejects.toMatchObject({ code: 90 });
      },
    );

    const { missing: opensslMissing } = requirement('openssl');
    (opensslMissing === undefined ? test : test.skip)('openssl finds nothing to object to', async () => {
      const verified = await run('openssl', ['verify', '-x509_strict', '-CAfile', file, file]);
      expect(verified.stdout).toMatch(/: OK\n$/);
      const { stdout } = await run('openssl', ['x509', '-in', file, '-noout', '-text']);
      expect(stdout).toMatch(/DNS:localhost, .*DNS:labs\.example\.com, IP Address:127\.0\.0\.1/);
      expect(stdout).toMatch(/CA:FALSE/);
    });
  });

  test('`lab --pin` trusts the key, after a renewal too, and sends nothing to another one', async () => {
    const ground = makeGround();
    const first = await start(ground);
    const pin = fingerprintsOf(certificateIn(pairOf(ground))).pin;
    const lab = async (program: RunningProgram, ...args: readonly string[]) => {
      const asked = runProgram(['--server', program.url, ...args], ground.env, ground.root);
      return { code: await asked.exit, output: asked.output() };
    };
    expect(await lab(first, '--pin', pin, 'jobs')).toEqual({ code: 0, output: 'no jobs\n' });
    await first.end();
    const second = await start(ground, { LAB_API_ALLOWED_HOSTS: 'labs.example.com' });
    expect(await lab(second, '--pin', pin, 'jobs')).toEqual({ code: 0, output: 'no jobs\n' });
    expect(second.run.output()).toContain('it does not name labs.example.com');
    const other = `sha256//${Buffer.alloc(32).toString('base64')}`;
    for (const more of [['--insecure'], ['--cacert', trustFileOf(pairOf(ground))]])
      expect(await lab(second, '--pin', other, ...more, 'jobs')).toEqual({
        code: 69,
        output: `lab: ${second.url}: its key is another one than the one to be trusted\n`,
      });
    expect(await lab(second, '--pin', 'AB:CD', 'jobs')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^lab: --pin: "AB:CD" must be sha256/),
    });
    const plain = runProgram(
      ['jobs', '--pin', pin, '--server', 'http://127.0.0.1:1'],
      ground.env,
      ground.root,
    );
    expect(await plain.exit).toBe(2);
  });

  test('renewed while it runs: new connections get it, and open ones go on', async () => {
    const ground = makeGround();
    const program = await start(ground);
    const number = numberOf(pairOf(ground));
    const events = await program.open('/events');
    // As if two years had gone by: what is there ends next month.
    const names = { dns: ['localhost'], ips: ['127.0.0.1'] };
    await plantPair(ground.dataDir, names, Date.now() - 790 * dayMs);
    program.run.child.kill('SIGHUP');
    await program.run.prints(/the self-signed TLS certificate was renewed because="its last day is/);
    const renewed = numberOf(pairOf(ground));
    expect(renewed).not.toBe(number);
    await eventually('the new one is served', async () => (await servedNumber(program)) === renewed);
    await eventually(
      'clients trust it',
      async () => (await servedNumber(program, trusted(ground))) === renewed,
    );
    expect(events.socket.destroyed).toBe(false);
    events.destroy();
    expect(await program.end()).toBe(0);
  });

  test('kill -9 while it is made, or renewed: never a key without its certificate', async () => {
    const ground = makeGround();
    const directory = path.dirname(pairOf(ground));
    mkdirSync(directory, { recursive: true });
    for (let round = 0; round < 6; round += 1) {
      const hosts = { LAB_API_ALLOWED_HOSTS: `round-${round}.example` };
      // Each round is killed one step later: the temporary file, the rename, the file for clients.
      const steps = watch(directory);
      const killed = runProgram(['api', '--tls', 'self-signed'], { ...ground.env, ...hosts }, ground.root);
      let left = round;
      steps.on('change', () => {
        left -= 1;
        if (left < 0) killed.child.kill('SIGKILL');
      });
      const isOver = () =>
        killed.child.signalCode !== null || killed.output().includes('lab-api is listening');
      await eventually('it is killed, or listens', () => isOver() || undefined);
      killed.child.kill('SIGKILL');
      await killed.exit;
      steps.close();
      const file = pairOf(ground);
      if (existsSync(file)) expect(readKept(file).kind).toBe('pair');
    }
    const program = await start(ground);
    expect(await servedNumber(program, trusted(ground))).toBe(numberOf(pairOf(ground)));
    expect(readdirSync(directory).toSorted()).toEqual(['certificate.pem', 'self-signed.pem']);
  });
});

describe('LAB_API_REQUIRE_AUTH=true', () => {
  test('without a user the start is refused; with one it is not', async () => {
    const ground = makeGround();
    const env = { ...ground.env, LAB_API_REQUIRE_AUTH: 'true' };
    const refused = runProgram(['api'], env, ground.root);
    expect(await refused.exit).toBe(2);
    expect(refused.output()).toMatch(/^lab api: LAB_API_REQUIRE_AUTH: [^\n]*LAB_API_USER[^\n]*\n$/);
    const program = await startProgram({
      ground,
      env: { LAB_API_REQUIRE_AUTH: 'true' },
      args: ['--auth-user', 'ops', '--auth-password', 'correct horse'],
    });
    expect((await program.get('/jobs')).status).toBe(401);
    // It reads the variables only, and the user came by a flag.
    const health = { ...env, LAB_API_PORT: new URL(program.url).port };
    expect(await runProgram(['health'], health, ground.root).exit).toBe(0);
  });
});
