import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

const own = (id: string, ...names: string[]): string =>
  path.join(service.ground.dataDir, 'jobs', id, 'artifacts', ...names);
const artifactsOf = async (id: string): Promise<string[]> =>
  (await service.get(`/jobs/${id}/artifacts`)).json.artifacts.map(({ path: name }: { path: string }) => name);

/** A lab in a directory of its own, in which much lies that is nobody's business. */
async function labIn(name: string): Promise<string> {
  const workdir = service.ground.makeWorkdir(name);
  writeFileSync(path.join(workdir, 'private.txt'), 'private');
  mkdirSync(path.join(workdir, 'config'));
  writeFileSync(path.join(workdir, 'config', 'old.cfg'), 'of an earlier job');
  await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
  return workdir;
}

/** The id of a job that collected. */
async function collected(workdir: string, request: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const id = await service.start({ action: 'collect', workdir, ...request });
  expect(await service.ended(id)).toMatchObject({ state: 'success' });
  return id;
}

describe('what a job has made', () => {
  test('is what it collected, and nothing else of the directory', async () => {
    const workdir = await labIn('collects');
    const id = await collected(workdir, { collectOutput: 'taken', collectTar: 'all.tar' });
    expect(await artifactsOf(id)).toEqual(['taken/r1.cfg', 'all.tar']);
    expect((await service.get(`/jobs/${id}/artifacts`)).json).toEqual({
      artifacts: expect.arrayContaining([
        { path: 'taken/r1.cfg', size: 22, modifiedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]),
      truncated: false,
    });
    const file = await service.get(`/jobs/${id}/artifacts/taken/r1.cfg`);
    expect([file.status, file.text]).toEqual([200, '! configuration of r1\n']);
    expect(file.headers['content-disposition']).toContain('filename="r1.cfg"');
    expect((await service.get(`/jobs/${id}/artifacts/taken%2Fr1.cfg`)).text).toBe(file.text);
    const again = await service.get(`/jobs/${id}/artifacts/taken/r1.cfg`, {
      'If-None-Match': String(file.headers.etag),
    });
    expect(again.status).toBe(304);
    const part = await service.get(`/jobs/${id}/artifacts/taken/r1.cfg`, { Range: 'bytes=2-14' });
    expect([part.status, part.text]).toEqual([206, 'configuration']);
    const archive = await service.get(`/jobs/${id}/artifacts?format=tar.gz`);
    expect(archive.headers['content-disposition']).toContain(`filename="${id}-artifacts.tar.gz"`);
    expect(execFileSync('tar', ['tz'], { input: archive.bytes, encoding: 'utf8' })).toBe(
      'taken/r1.cfg\nall.tar\n',
    );
    for (const hidden of ['private.txt', 'netlab.lock', '../collects/private.txt', '%2Fetc%2Fpasswd']) {
      const reply = await service.get(`/jobs/${id}/artifacts/${hidden}`);
      expect([hidden, reply.status]).toEqual([hidden, 404]);
    }
  });

  test('is that of its own run only', async () => {
    const workdir = await labIn('twice');
    const first = await collected(workdir);
    expect(await artifactsOf(first)).toContain('config/r1.cfg');
    // A later job, and not within the seconds that the times of files may be wrong by.
    const later = new Date(Date.now() + 60_000);
    utimesSync(path.join(workdir, 'config', 'r1.cfg'), later, later);
    expect(await artifactsOf(first)).not.toContain('config/r1.cfg');
  });

  test('is in its own directory too, whatever its working directory became', async () => {
    const workdir = await labIn('own');
    const id = await collected(workdir);
    mkdirSync(own(id, 'results'), { recursive: true });
    writeFileSync(own(id, 'junit.xml'), '<testsuites/>');
    writeFileSync(own(id, 'results', 'r1.txt'), 'passed');
    symlinkSync('/etc/passwd', own(id, 'link'));
    expect(await artifactsOf(id)).toEqual(expect.arrayContaining(['junit.xml', 'results/r1.txt']));
    expect(await artifactsOf(id)).not.toContain('link');
    expect((await service.get(`/jobs/${id}/artifacts/link`)).status).toBe(404);
    const report = await service.get(`/jobs/${id}/artifacts/junit.xml`);
    expect([report.headers['content-type'], report.text]).toEqual(['application/xml', '<testsuites/>']);
    const text = await service.get(`/jobs/${id}/artifacts/results/r1.txt`);
    expect(text.headers['content-type']).toBe('application/octet-stream');
    // Another directory with the same files in the place of the one that the job ran in.
    const other = service.ground.makeWorkdir('other');
    renameSync(workdir, path.join(other, 'moved'));
    symlinkSync(path.join(other, 'moved'), workdir);
    expect(await artifactsOf(id)).toEqual(['junit.xml', 'results/r1.txt']);
  });

  test('is nothing of what links lead to', async () => {
    const workdir = await labIn('links');
    const id = await collected(workdir, { collectOutput: 'taken' });
    const outside = path.join(service.ground.root, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'r1.cfg'), 'secret');
    renameSync(path.join(workdir, 'taken'), path.join(workdir, 'was'));
    symlinkSync(outside, path.join(workdir, 'taken'));
    expect(await artifactsOf(id)).toEqual([]);
    expect((await service.get(`/jobs/${id}/artifacts/taken/r1.cfg`)).status).toBe(404);
  });

  test('goes with the job', async () => {
    const id = await service.start({ action: 'status' });
    await service.ended(id);
    mkdirSync(own(id));
    writeFileSync(own(id, 'junit.xml'), '<testsuites/>');
    expect((await service.request(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(204);
    for (const target of ['', '?format=zip', '/junit.xml']) {
      const reply = await service.get(`/jobs/${id}/artifacts${target}`);
      expect([reply.status, reply.json.code]).toEqual([404, 'job-not-found']);
    }
  });

  test('of 10,000 files is listed, and of more a part, which says so', async () => {
    const id = await service.start({ action: 'status' });
    await service.ended(id);
    mkdirSync(own(id));
    const make = (index: number): void => writeFileSync(own(id, `file-${index}`), '');
    for (let index = 0; index < 10_000; index += 1) make(index);
    const { json: whole } = await service.get(`/jobs/${id}/artifacts`);
    expect([whole.artifacts.length, whole.truncated]).toEqual([10_000, false]);
    make(10_000);
    const { json: part } = await service.get(`/jobs/${id}/artifacts`);
    expect([part.artifacts.length, part.truncated]).toEqual([10_000, true]);
  });

  test('are the files that "create" was asked for', async () => {
    const workdir = service.ground.makeWorkdir('creates');
    const id = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('mkdir -p made', 'echo graph > made/graph.dot', 'echo x > other.txt'),
      output: ['graph=made/graph.dot,missing.dot', 'yaml=-'],
    });
    await service.ended(id);
    expect(await artifactsOf(id)).toEqual(['made/graph.dot']);
  });
});
