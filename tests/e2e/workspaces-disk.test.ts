/** Uploads to a disk that gets full, or turns read-only. */
import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tarGzOf, zipOf } from '../support/archives.ts';
import { PrivateDisk, privateDiskMissing } from '../support/private-disk.ts';
import { expectProblem } from '../support/problem.ts';

(privateDiskMissing === undefined ? test : test.skip)(
  `a disk that gets full refuses uploads, and keeps what was there${privateDiskMissing ? ` (${privateDiskMissing})` : ''}`,
  async () => {
    const disk = await PrivateDisk.make();
    const service = await disk.startProgram();
    const put = async (target: string, body: Buffer | string, type = 'application/gzip') =>
      service.request(target, { method: 'PUT', body, headers: { 'Content-Type': type } });
    const expectOld = (): void => {
      expect(readdirSync(disk.outside('workspaces/course'))).toEqual(['old']);
      expect(readFileSync(disk.outside('workspaces/course/old'), 'utf8')).toBe('old');
      for (const name of ['incoming', 'trash'])
        expect(readdirSync(disk.outside(`workspaces/.lab-api/${name}`))).toEqual([]);
    };
    expect((await put('/workspaces/course', tarGzOf({ name: 'old', content: 'old' }))).status).toBe(201);
    // Over a mebibyte, on a disk of one: it gets full while they come.
    const noise = randomBytes(3 * 1024 * 1024);
    expectProblem(
      await put('/workspaces/course', tarGzOf({ name: 'new', content: noise })),
      503,
      'disk-full',
    );
    expectOld();
    const zip = zipOf({ name: 'new', content: noise });
    expectProblem(await put('/workspaces/course', zip, 'application/zip'), 503, 'disk-full');
    expectOld();
    expectProblem(await put('/workspaces/course/files/old', noise, 'text/plain'), 503, 'disk-full');
    expectOld();
    // Below the floor, nothing is even begun.
    disk.fill();
    expectProblem(await put('/workspaces/course', tarGzOf({ name: 'new' })), 503, 'disk-full');
    expectProblem(await put('/workspaces/other', ''), 503, 'disk-full');
    expectOld();
    disk.makeRoom();
    disk.makeReadOnly();
    expectProblem(await put('/workspaces/course', tarGzOf({ name: 'new' })), 503, 'storage-fault');
    disk.makeWritable();
    expectOld();
    expect((await put('/workspaces/course', tarGzOf({ name: 'new' }))).status).toBe(200);
    await service.end();
  },
);
