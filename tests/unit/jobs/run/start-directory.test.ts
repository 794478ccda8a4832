/** A directory that is not any more what it was when it was checked. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { findDirectory, openDirectory } from '../../../../src/jobs/run/start-check.ts';
import { openedBelow } from '../../../support/opened-below.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

let above: string;
let workdir: string;
beforeEach(() => {
  above = realpathSync(mkdtempSync(path.join(root, 'case-')));
  workdir = path.join(above, 'lab');
  mkdirSync(workdir);
});

const replaced = 'was replaced by a link';

describe.each([
  ['held open', openDirectory, { dangling: replaced, tooLong: 'is gone or out of reach: ENAMETOOLONG' }],
  ['looked at by its name', findDirectory, { dangling: 'is gone', tooLong: 'is gone' }],
])('%s', (_how, look, { dangling, tooLong }) => {
  test.each<[string, () => void, string]>([
    ['that is gone', () => rmSync(workdir, { recursive: true }), 'is gone'],
    [
      'that is a link now',
      () => {
        renameSync(workdir, `${workdir}-aside`);
        symlinkSync(`${workdir}-aside`, workdir);
      },
      replaced,
    ],
    [
      'that is a link to nothing',
      () => {
        rmSync(workdir, { recursive: true });
        symlinkSync('/no/such/directory', workdir);
      },
      dangling,
    ],
    [
      'that has a link above it',
      () => {
        renameSync(above, `${above}-aside`);
        symlinkSync(`${above}-aside`, above);
      },
      replaced,
    ],
    [
      'that is a file',
      () => {
        rmSync(workdir, { recursive: true });
        writeFileSync(workdir, '');
      },
      'is gone',
    ],
    [
      'that is below a file',
      () => {
        rmSync(above, { recursive: true });
        writeFileSync(above, '');
      },
      'is gone',
    ],
    ['with a name that is too long', () => (workdir = path.join(workdir, 'x'.repeat(300))), tooLong],
  ])('one %s is refused, and nothing is left open', async (_what, change, why) => {
    change();
    expect(await look(workdir)).toEqual({ kind: 'refused', why: `the working directory ${workdir} ${why}` });
    expect(openedBelow(above)).toEqual([]);
    expect(openedBelow(`${above}-aside`)).toEqual([]);
  });
});

test('one that is held open stays what it is, whatever has its name by now', async () => {
  const directory = await openDirectory(workdir);
  if (directory.kind !== 'ready') throw new Error(directory.why);
  expect(directory.cwd).toMatch(/^\/proc\/self\/fd\/\d+$/);
  renameSync(workdir, `${workdir}-aside`);
  mkdirSync(workdir);
  writeFileSync(path.join(`${workdir}-aside`, 'topology.yml'), '');
  expect(readdirSync(`${directory.cwd}/`)).toEqual(['topology.yml']);
  expect(openedBelow(above)).toEqual([`${workdir}-aside`]);
  await directory.close();
  expect(openedBelow(above)).toEqual([]);
  // Once more does nothing: the number may be another file's by now.
  const other = openSync(workdir, 'r');
  await directory.close();
  expect(openedBelow(above)).toEqual([workdir]);
  closeSync(other);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test.skip : test)(
  `whoever holds it open need not be able to read it${isRoot ? ' (skipped: root can read everything)' : ''}`,
  async () => {
    chmodSync(workdir, 0o100);
    try {
      const directory = await openDirectory(workdir);
      expect(directory.kind).toBe('ready');
      if (directory.kind === 'ready') await directory.close();
    } finally {
      chmodSync(workdir, 0o700);
    }
  },
);

test('one that was looked at by its name is told by that, and holds nothing', async () => {
  const directory = await findDirectory(workdir);
  expect(directory).toMatchObject({ kind: 'ready', cwd: workdir });
  if (directory.kind === 'ready') expect(await directory.close()).toBeUndefined();
  expect(openedBelow(above)).toEqual([]);
});
