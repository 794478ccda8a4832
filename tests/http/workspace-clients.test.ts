/** Clients that vanish, that come at the same time, that are slow, and labs and links that come in between. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { tarGzOf, tarOf, zipOf, type Member } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({
    env: { LAB_API_MAX_WORKSPACE_SIZE: '2GiB', LAB_API_MAX_ALL_WORKSPACES_SIZE: '90MiB' },
  });
});

const gzip = { 'Content-Type': 'application/gzip' };
const place = (name: string, ...parts: string[]): string =>
  path.join(service.ground.dataDir, 'workspaces', name, ...parts);
const put = async (target: string, body?: unknown, headers: Record<string, string> = gzip) =>
  service.request(target, { method: 'PUT', body, headers });
const left = () =>
  ['incoming', 'trash'].flatMap((name) =>
    readdirSync(place('.lab-api', name)).map((token) => `${name}/${token}`),
  );
const nothingLeft = async (): Promise<void> =>
  void (await eventually('nothing is left', () => (left().length === 0 ? true : undefined)));
const noise = randomBytes(4 * 1024 * 1024);
/** Noise gets no smaller, and trying takes seconds. */
const uncompressed = (...members: readonly Member[]): Buffer => gzipSync(tarOf(...members), { level: 0 });

/** An upload of which the first half has come, and is being unpacked. */
async function halfUpload(
  name: string,
  archive: Buffer,
  written = 'first',
): Promise<{ request: http.ClientRequest; rest: Buffer }> {
  const { hostname, port } = new URL(service.url);
  const headers = { ...gzip, 'Content-Length': String(archive.length) };
  const request = http.request({ hostname, port, path: `/workspaces/${name}`, method: 'PUT', headers });
  request.on('error', () => undefined);
  const half = Math.floor(archive.length / 2);
  request.write(archive.subarray(0, half));
  await eventually('the upload is under way', () =>
    readdirSync(place('.lab-api', 'incoming'), { recursive: true }).some((file) =>
      String(file).endsWith(written),
    )
      ? true
      : undefined,
  );
  return { request, rest: archive.subarray(half) };
}

async function endOf(
  request: http.ClientRequest,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of reply as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: reply.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) };
}

const slowArchive = uncompressed({ name: 'first', content: noise }, { name: 'second', content: noise });

describe('an upload', () => {
  test('whose client vanishes leaves nothing', async () => {
    await put('/workspaces/vanishes', tarGzOf({ name: 'old', content: 'old' }));
    const { request } = await halfUpload('vanishes', slowArchive);
    request.destroy();
    await nothingLeft();
    expect(readdirSync(place('vanishes'))).toEqual(['old']);
    // It is free for the next one in the moment after the files are gone.
    await eventually('the next upload is taken', async () => {
      const { status } = await put('/workspaces/vanishes', tarGzOf({ name: 'new' }));
      return status === 200;
    });
  });

  test('gives way to a job that comes meanwhile', async () => {
    await put('/workspaces/overtaken', tarGzOf({ name: 'old', content: 'old' }));
    const { request, rest } = await halfUpload('overtaken', slowArchive);
    const id = await service.start({
      action: 'up',
      workspace: 'overtaken',
      topology: topologyThat('wait_for overtaken'),
    });
    request.end(rest);
    const { status, json } = await endOf(request);
    expect([status, json['code'], json['conflictingJobId']]).toEqual([409, 'workspace-busy', id]);
    expect(readdirSync(place('overtaken'))).toContain('old');
    service.ground.let('overtaken');
    await service.ended(id);
    await nothingLeft();
  });

  test('that would become far more than it is ends early', async () => {
    // Up to 64 MiB, the ratio is free.
    const zeros = { name: 'zeros', content: Buffer.alloc(80 * 1024 * 1024) };
    const bomb = gzipSync(tarOf(zeros));
    const ofTar = await put('/workspaces/bomb', bomb);
    expect([ofTar.status, ofTar.json.code]).toEqual([413, 'payload-too-large']);
    const zip = zipOf(zeros);
    const ofZip = await put('/workspaces/bomb', zip, { 'Content-Type': 'application/zip' });
    expect([ofZip.status, ofZip.json.detail]).toEqual([413, expect.stringContaining('250 to 1')]);
    await nothingLeft();
  });
});

describe('a download', () => {
  test('is cut off when the workspace is replaced meanwhile', async () => {
    const files = Array.from({ length: 5 }, (_, at) => ({ name: `f${at}`, content: noise }));
    await put('/workspaces/replaced', uncompressed(...files));
    const reply = await service.open('/workspaces/replaced?format=tar.gz');
    // It takes what a socket holds, and no more, until somebody reads.
    await once(reply, 'readable');
    expect((await put('/workspaces/replaced', tarGzOf({ name: 'new' }))).status).toBe(200);
    await expect(buffer(reply)).rejects.toThrow(/aborted/);
  });

  test('never leads out by a link that comes and goes', async () => {
    const outside = path.join(service.ground.root, 'secrets');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'file'), 'secret');
    await put('/workspaces/race', tarGzOf({ name: 'dir/file', content: 'public' }));
    const [real, aside] = [place('race', 'dir'), place('race', 'aside')];
    const over = new AbortController();
    const swapping = (async () => {
      while (!over.signal.aborted) {
        renameSync(real, aside);
        await eventually('the link is there', () => {
          // The service may have made the directory anew, between these two.
          rmSync(real, { recursive: true, force: true });
          symlinkSync(outside, real);
          return true;
        });
        await new Promise(setImmediate);
        rmSync(real, { recursive: true });
        renameSync(aside, real);
        await new Promise(setImmediate);
      }
    })();
    for (let turn = 0; turn < 20; turn += 1) {
      const file = await service.get('/workspaces/race/files/dir/file');
      expect([200, 404]).toContain(file.status);
      if (file.status === 200) expect(file.text).toBe('public');
      await service.request('/workspaces/race/files/dir/new', { method: 'PUT', body: 'x' });
    }
    over.abort();
    await swapping;
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(path.join(outside, 'file'), 'utf8')).toBe('secret');
  });
});
