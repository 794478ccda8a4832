/** What files that are brought one by one may need. */
import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Body } from '../../../../src/labs/workspaces/receive.ts';
import type { WorkspaceLimits } from '../../../../src/labs/workspaces/workspace.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { bodyOf, Ground, heldBody, treeOf } from './ground.ts';

let ground: Ground;
const inside = (...names: readonly string[]): string => ground.at('course', ...names);
const any = { check: () => undefined };
const textOf = (file: string): string => readFileSync(inside(file), 'utf8');
const writeBody = async (file: string, body: Body) => ground.files.write('course', file, body, any);
const write = async (file: string, text: string) => writeBody(file, bodyOf(text));

async function start(limits: Partial<WorkspaceLimits>): Promise<void> {
  ground = await Ground.make({ limits });
  await ground.workspaces.make('course', null);
}

describe('the limit', () => {
  test('of a file is that of its bytes', async () => {
    await start({ maxFileBytes: 4 });
    await write('file', '1234');
    const failure = await failureOf(write('file', '12345'));
    expect(failure).toMatchObject({ code: 'payload-too-large', message: expect.stringContaining('"file"') });
    expect([textOf('file'), ground.left()]).toEqual(['1234', []]);
  });

  test('of a workspace is that of its files together, with the old one while the new one comes', async () => {
    await start({ maxBytes: 10 });
    await write('a', '12345');
    await write('b', '12345');
    const failure = await failureOf(write('c', '1'));
    expect(failure).toMatchObject({ code: 'payload-too-large', message: expect.stringMatching(/10 bytes/) });
    expect(treeOf(inside())).toEqual(['a: 12345', 'b: 12345']);
    expect(ground.left()).toEqual([]);
  });

  test('of the number of files is that of files and directories', async () => {
    await start({ maxFiles: 3 });
    await write('a/b', '');
    await write('c', '');
    for (const file of ['d', 'e/f'])
      expect((await failureOf(write(file, ''))).code).toBe('payload-too-large');
    expect(treeOf(inside())).toEqual(['a/', 'a/b: ', 'c: ']);
  });

  test('of all workspaces is that of all of them; what failed or was removed is free again', async () => {
    await start({ maxTotalBytes: 10 });
    await ground.workspaces.make('other', null);
    await write('a', '123456');
    const elsewhere = async (text: string) => ground.files.write('other', 'b', bodyOf(text), any);
    for (const _ of [1, 2]) expect((await failureOf(elsewhere('12345'))).code).toBe('quota-exceeded');
    await elsewhere('1234');
    await ground.files.remove('course', 'a', any);
    await write('c', '123456');
    expect(ground.left()).toEqual([]);
  });

  test('of all workspaces is kept by two uploads at once', async () => {
    await start({ maxTotalBytes: 10 });
    const { body, hasCome, go } = heldBody('123456');
    const first = writeBody('first', body);
    await Promise.race([hasCome, first]);
    expect((await failureOf(write('second', '12345'))).code).toBe('quota-exceeded');
    await write('third', '1234');
    go();
    await first;
    expect(treeOf(inside())).toEqual(['first: 123456', 'third: 1234']);
  });

  test('of all workspaces needs no look at the others: an unknown one counts after its first look', async () => {
    await start({ maxTotalBytes: 10 });
    mkdirSync(ground.at('other'));
    writeFileSync(ground.at('other/file'), '1234567890');
    await write('a', '1');
    expect(await ground.workspaces.get('other')).toMatchObject({ size: 10 });
    expect((await failureOf(write('b', '1'))).code).toBe('quota-exceeded');
  });

  test('of the number of files counts those that a job made', async () => {
    await start({ maxFiles: 3 });
    await write('a', '');
    for (const name of ['b', 'c']) writeFileSync(inside(name), '');
    ground.workspaces.noteJob(inside('below'), true);
    expect((await failureOf(write('d', ''))).code).toBe('payload-too-large');
  });

  test('of the free disk refuses a file before anything of it is read', async () => {
    ground = await Ground.make({ limits: { minFreeBytes: Number.MAX_VALUE } });
    mkdirSync(inside());
    let isRead = false;
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      isRead = true;
      yield Buffer.from('x');
    })();
    expect((await failureOf(writeBody('file', body))).code).toBe('disk-full');
    expect(isRead).toBe(false);
  });
});
