import { describe, expect } from '@jest/globals';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { makePair, opensslMissing, type Pair } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { insides } from '../support/problem.ts';
import { testUnless } from '../support/requirements.ts';
import {
  makeGround,
  runProgram,
  startProgram,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';

const { because, it } = testUnless(opensslMissing);

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
  readonly write: (pair: Pair) => void;
}

function tlsFiles(ground: Ground, name = 'tls'): Files {
  const directory = path.join(ground.root, name);
  mkdirSync(directory);
  const certFile = path.join(directory, 'cert.pem');
  const keyFile = path.join(directory, 'key.pem');
  const write = ({ cert, key }: Pair): void => {
    // As certificate tools do it: a new file takes the name of the old one.
    writeFileSync(`${keyFile}.new`, key);
    renameSync(`${keyFile}.new`, keyFile);
    writeFileSync(`${certFile}.new`, cert);
    renameSync(`${certFile}.new`, certFile);
  };
  return { certFile, keyFile, write };
}

async function startTls(ground: Ground, { certFile, keyFile }: Files): Promise<RunningProgram> {
  return startProgram({
    ground,
    args: ['--tls-cert', certFile, '--tls-key', keyFile],
    client: { tls: { rejectUnauthorized: false } },
  });
}

/** The common name of the certificate that a new connection gets. */
async function servedName(program: RunningProgram, options: tls.ConnectionOptions = {}): Promise<string> {
  const { hostname: host, port } = new URL(program.url);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host, port: Number(port), rejectUnauthorized: false, ...options }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('TLS', () => {
  it(`serves https, HSTS included, and refuses what is older than TLS 1.2${because}`, async () => {
    const ground = makeGround();
    const files = tlsFiles(ground);
    const pair = makePair(ground.root, 'one');
    files.write(pair);
    const program = await startTls(ground, files);
    expect(program.url).toMatch(/^https:/);
    const reply = await program.request('/healthz', { tls: { ca: pair.cert } });
    expect(reply).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(reply.headers['strict-transport-security']).toMatch(/max-age=\d+/);
    expect(reply.headers['content-security-policy']).toContain('upgrade-insecure-requests');
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      expect(await servedName(program, { minVersion: version, maxVersion: version })).toBe('one');
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    // The alert comes from the server: the client was ready to go on.
    await expect(servedName(program, old)).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
    await expect(fetch(program.url.replace('https', 'http'))).rejects.toThrow('fetch failed');
    await program.run.prints(
      /warn {2}a client speaks plain HTTP to this port; its URL must begin with https/,
    );
    expect((await program.get('/healthz')).status).toBe(200);
    expect(await program.end()).toBe(0);
  });

  it(`takes a new pair as soon as the files change; a bad one keeps the old${because}`, async () => {
    const ground = makeGround();
    const files = tlsFiles(ground);
    files.write(makePair(ground.root, 'one'));
    const program = await startTls(ground, files);
    expect(await servedName(program)).toBe('one');
    files.write(makePair(ground.root, 'two'));
    await eventually('the new certificate is served', async () => (await servedName(program)) === 'two');

    files.write({ cert: 'not a certificate', key: 'not a key' });
    await program.run.prints(/error the new TLS certificate or key is not usable; the old pair stays cause=/);
    expect(await servedName(program)).toBe('two');
    expect((await program.get('/healthz')).status).toBe(200);
    // A certificate with the key of another.
    files.write({ cert: makePair(ground.root, 'three').cert, key: makePair(ground.root, 'four').key });
    await program.run.prints(/(old pair stays[^]*){2}/);
    expect(await servedName(program)).toBe('two');

    files.write(makePair(ground.root, 'five'));
    await eventually('the good certificate is served', async () => (await servedName(program)) === 'five');
    expect(program.run.output()).not.toMatch(insides);
  });

  it(`takes a new pair on SIGHUP where no change can be seen${because}`, async () => {
    const ground = makeGround();
    const hidden = tlsFiles(ground, 'hidden');
    hidden.write(makePair(ground.root, 'one'));
    const directory = path.join(ground.root, 'links');
    mkdirSync(directory);
    const files = {
      ...hidden,
      certFile: path.join(directory, 'c.pem'),
      keyFile: path.join(directory, 'k.pem'),
    };
    symlinkSync(hidden.certFile, files.certFile);
    symlinkSync(hidden.keyFile, files.keyFile);
    const program = await startTls(ground, files);
    hidden.write(makePair(ground.root, 'two'));
    expect(await servedName(program)).toBe('one');
    program.run.child.kill('SIGHUP');
    await program.run.prints(/the TLS certificate was reloaded/);
    expect(await servedName(program)).toBe('two');
  });

  it(`ends on SIGTERM while handshakes are never finished${because}`, async () => {
    const ground = makeGround();
    const files = tlsFiles(ground);
    files.write(makePair(ground.root, 'one'));
    const program = await startTls(ground, files);
    const { hostname, port } = new URL(program.url);
    const silent = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = net.connect(Number(port), hostname);
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      }),
    );
    expect((await program.get('/healthz')).status).toBe(200);
    expect(await program.end()).toBe(0);
    for (const socket of silent) socket.destroy();
  });

  it(`a pair that is not usable stops the start: one line that says which file is wrong, exit 2${because}`, async () => {
    const ground = makeGround();
    const files = tlsFiles(ground);
    const pair = makePair(ground.root, 'one');
    for (const [wrong, said] of [
      [{ key: makePair(ground.root, 'two').key }, 'LAB_API_TLS_KEY): not usable: '],
      [{ cert: '# README' }, `the certificate: ${files.certFile} is not a PEM file`],
      [{ key: pair.cert }, `the key: ${files.keyFile} has no key in it`],
    ] as const) {
      files.write({ ...pair, ...wrong });
      const args = ['api', '--tls-cert', files.certFile, '--tls-key', files.keyFile];
      const run = runProgram(args, ground.env, ground.root);
      expect(await run.exit).toBe(2);
      expect(run.output()).toMatch(/^lab api: --tls-cert .*LAB_API_TLS_KEY\): not usable: [^\n]*\n$/);
      expect(run.output()).toContain(said);
      expect(run.output()).not.toContain('PRIVATE KEY');
    }
  });
});
