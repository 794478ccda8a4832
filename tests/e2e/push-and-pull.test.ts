/** Files to a server and back, as somebody types it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { tarGzOf } from '../support/archives.ts';
import { remoteLab } from '../support/remote-lab.ts';
import { topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { service, ran } = remoteLab();
const ground = temporaryDirectory();
const inGround = (...names: string[]): string => path.join(ground, ...names);

beforeAll(() => {
  mkdirSync(inGround('My Course', 'files'), { recursive: true });
  writeFileSync(inGround('My Course', 'topology.yml'), topologyThat('echo made > made.txt'));
  writeFileSync(inGround('My Course', 'files', 'run.sh'), '#!/bin/sh\n');
  chmodSync(inGround('My Course', 'files', 'run.sh'), 0o700);
});

describe('lab push and lab pull', () => {
  test('bring a directory to a workspace, and back', async () => {
    const pushed = await ran(['push', inGround('My Course')]);
    expect(pushed).toMatchObject({ exitCode: 0 });
    expect(pushed.output).toMatch(/^my-course has 2 files, \d+ bytes\n$/);
    await service().ended(await service().start({ action: 'up', workspace: 'my-course' }));
    expect(await ran(['pull', 'my-course', inGround('back')])).toEqual({
      exitCode: 0,
      output: `my-course is in ${inGround('back')}\n`,
    });
    expect(readFileSync(inGround('back', 'made.txt'), 'utf8')).toBe('made\n');
    expect(statSync(inGround('back', 'files', 'run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(ground).toSorted()).toEqual(['My Course', 'back']);
  });

  test('leave links out, and say so', async () => {
    mkdirSync(inGround('linked'));
    writeFileSync(inGround('linked', 'plain'), 'plain');
    symlinkSync('/etc/passwd', inGround('linked', 'link'));
    const { exitCode, output } = await ran(['push', inGround('linked'), 'other-name', '-o', 'json']);
    expect(exitCode).toBe(0);
    expect(output).toContain('lab: link is left out');
    expect(JSON.parse(output.replace(/^lab: .*\n/m, ''))).toMatchObject({ name: 'other-name', files: 1 });
  });

  test('tell what the server says against it, also of a long upload', async () => {
    mkdirSync(inGround('long'));
    execFileSync('dd', [
      'if=/dev/urandom',
      `of=${inGround('long', 'noise')}`,
      'bs=1M',
      'count=64',
      'status=none',
    ]);
    const id = await service().start({
      action: 'up',
      workspace: 'taken',
      topology: topologyThat('wait_for push'),
    });
    const { exitCode, output } = await ran(['push', inGround('long'), 'taken']);
    expect([exitCode, output]).toEqual([1, `lab: the job ${id} is at work in "taken"\n`]);
    service().ground.let('push');
    await service().ended(id);
  });

  test('fetch what a job has made', async () => {
    await ran(['push', inGround('My Course'), 'collects']);
    await service().ended(await service().start({ action: 'up', workspace: 'collects' }));
    const id = await service().start({ action: 'collect', workspace: 'collects' });
    await service().ended(id);
    expect((await ran(['pull', id, inGround('artifacts')])).exitCode).toBe(0);
    expect(readFileSync(inGround('artifacts', 'config', 'r1.cfg'), 'utf8')).toBe('! configuration of r1\n');
  });

  test('lab workspaces lists them, and a misspelt name leads to it', async () => {
    await ran(['push', inGround('My Course'), 'listed']);
    const up = await service().start({ action: 'up', workspace: 'listed' });
    expect(await service().ended(up)).toMatchObject({ state: 'success' });
    const { output } = await ran(['workspaces']);
    expect(output).toMatch(/^WORKSPACE +OWNER +SIZE +CHANGED +LAB\n/);
    expect(output).toMatch(/^listed +\d+ bytes +\d+s ago/m);
    const listed: unknown = JSON.parse((await ran(['workspaces', '-o', 'json'])).output);
    expect(listed).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'listed', job: null })]));
    const misspelt = await ran(['start', 'up', '--workspace', 'lsited']);
    expect(misspelt.output).toContain('there is no workspace "lsited"; "lab workspaces" lists them\n');
    expect(misspelt.output).not.toContain('GET /');
  });

  test.each([
    [['push', '/nonexistent/course'], 2, 'lab: there is no directory /nonexistent/course'],
    [['push', ground, 'nowhere', '--server', 'http://127.0.0.1:2'], 69, 'connect ECONNREFUSED'],
    [['push', '/'], 2, 'cannot be the name of a workspace'],
    [['push', ground, 'Wrong Name'], 2, 'small letters'],
    [
      ['pull', 'nothing', path.join(ground, 'new')],
      1,
      'lab: there is neither a job nor a workspace "nothing"; ',
    ],
    [
      ['pull', 'job-1-000000', path.join(ground, 'new')],
      1,
      'lab: there is no job "job-1-000000"; for a workspace',
    ],
    [['pull', 'nothing', path.join(ground, 'new'), '--workspace'], 1, 'there is no workspace "nothing"'],
    [['pull', 'my-course', ground], 2, 'is not an empty directory'],
  ])('%j is refused', async (words, exitCode, says) => {
    const run = await ran(words);
    expect([run.exitCode, run.output.includes(says) || run.output]).toEqual([exitCode, true]);
    expect(existsSync(path.join(ground, 'new'))).toBe(false);
  });
});

describe('a server that means harm', () => {
  let reply: Buffer = Buffer.alloc(0);
  let isCut = false;
  const server = http.createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/gzip' });
    res.write(reply, () => (isCut ? res.destroy() : res.end()));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  const pulled = async (directory: string) =>
    ran(['--server', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'pull', 'x', directory]);

  test.each([
    { name: '../escaped', content: 'x' },
    { name: '/tmp/lab-api-escaped', content: 'x' },
    { name: 'link', type: '2', link: '/etc/passwd' },
  ])('writes nothing with %j', async (member) => {
    reply = tarGzOf({ name: 'first', content: 'x' }, member);
    const { exitCode, output } = await pulled(inGround('hostile'));
    expect(exitCode).toBe(1);
    expect(output).toContain('the archive is refused');
    expect(existsSync(inGround('hostile'))).toBe(false);
    expect(existsSync(inGround('escaped'))).toBe(false);
    expect(existsSync('/tmp/lab-api-escaped')).toBe(false);
    expect(readdirSync(ground).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('or breaks off leaves nothing', async () => {
    isCut = true;
    reply = tarGzOf({ name: 'first', content: 'x'.repeat(100_000) }).subarray(0, 100);
    const { exitCode, output } = await pulled(inGround('cut'));
    expect([exitCode, output]).toEqual([
      69,
      expect.stringContaining('the connection was lost before the end of the archive'),
    ]);
    expect(existsSync(inGround('cut'))).toBe(false);
  });
});
