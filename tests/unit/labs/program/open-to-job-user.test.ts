/** With a user that is on no machine: the kernel asks for numbers alone. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findProgram } from '../../../../src/labs/drivers/find-program.ts';
import type { JobUser } from '../../../../src/labs/program/job-user.ts';
import { openToJobUser } from '../../../../src/labs/program/open-to-job-user.ts';
import { requirement } from '../../../support/requirements.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
const id = 64_321;
const setpriv = findProgram('setpriv', { PATH: process.env['PATH'] })?.file ?? 'setpriv';
const rights = ['--reuid', `${id}`, '--regid', `${id}`, '--clear-groups', '--inh-caps', '-all', '--'];
const user: JobUser = {
  name: 'labs',
  uid: id,
  gid: id,
  home: '/',
  commandPrefix: [setpriv, ...rights, '/bin/sh', '-c', 'exec "$@"', 'lab'],
  programs: [],
};

let data: string;
let jobs: string;

const accessOf = (directory: string) => {
  const { uid, gid, mode } = statSync(directory);
  return { uid, gid, mode: (mode & 0o7777).toString(8) };
};
const own = { uid: 0, gid: 0, mode: '700' };
const opened = { uid: 0, gid: id, mode: '710' };

beforeEach(() => {
  chmodSync(root, 0o755);
  data = mkdtempSync(path.join(root, 'data-'));
  jobs = path.join(data, 'jobs');
  mkdirSync(jobs, { mode: 0o700 });
});

/** Where root is only mapped (user_namespaces(7)), there is no other user, and the directory for tests may be closed to one. */
function whyNotHere(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  const { missing } = requirement('setpriv');
  if (missing !== undefined) return missing;
  const [program = '', ...words] = user.commandPrefix;
  chmodSync(root, 0o755);
  return spawnSync(program, [...words, 'test', '-x', root]).status === 0
    ? undefined
    : 'no other user may look here';
}

const whyNot = whyNotHere();
const forRoot = whyNot === undefined ? describe : describe.skip;
const because = whyNot === undefined ? '' : ` (skipped: ${whyNot})`;

forRoot(`the directories of the service${because}`, () => {
  test('are opened for the group of the user: to go through, and not to look into', async () => {
    await openToJobUser([data, jobs], user);
    expect([accessOf(data), accessOf(jobs)]).toEqual([opened, opened]);
    await openToJobUser([data, jobs], {
      ...user,
      gid: id + 1,
      commandPrefix: user.commandPrefix.map((word) => word.replace(`${id}`, `${id + 1}`)),
    });
    expect(accessOf(jobs)).toEqual({ ...opened, gid: id + 1 });
  });

  test('that an administrator has made with another mode stay as they are', async () => {
    chmodSync(data, 0o755);
    chmodSync(jobs, 0o711);
    await openToJobUser([data, jobs], user);
    expect([accessOf(data), accessOf(jobs)]).toEqual([
      { ...own, mode: '755' },
      { ...own, mode: '711' },
    ]);
  });

  test.each<[string, () => void]>([
    ['has closed', () => chmodSync(jobs, 0o750)],
    ['has given to somebody else', () => chownSync(jobs, id + 1, 0)],
  ])('that an administrator %s are refused by name', async (_what, change) => {
    change();
    const before = accessOf(jobs);
    await expect(openToJobUser([data, jobs], user)).rejects.toThrow(
      `LAB_API_JOB_USER: "labs" cannot enter ${jobs}: choose`,
    );
    expect(accessOf(jobs)).toEqual(before);
  });

  test('that are reached by a link are those that it leads to', async () => {
    const link = path.join(root, `link-to-${path.basename(data)}`);
    symlinkSync(data, link);
    await openToJobUser([link, path.join(link, 'jobs')], user);
    expect([accessOf(data), accessOf(jobs)]).toEqual([opened, opened]);
  });
});

forRoot(`where the user could put another directory or program in the place of one${because}`, () => {
  const refusal = (place: string): string => `LAB_API_JOB_USER: "labs" may write to ${place}, and so replace`;

  test.each<[string, () => void]>([
    ['his own', () => chownSync(jobs, id, 0)],
    ['open to all', () => chmodSync(jobs, 0o777)],
  ])('(%s), it is refused, and nothing is opened', async (_what, change) => {
    chmodSync(data, 0o711);
    change();
    const before = accessOf(jobs);
    await expect(openToJobUser([data, jobs], user)).rejects.toThrow(refusal(jobs));
    expect(accessOf(jobs)).toEqual(before);
  });

  test('by one above it, it is refused, too', async () => {
    chmodSync(data, 0o777);
    await expect(openToJobUser([jobs], user)).rejects.toThrow(refusal(data));
    // Nobody replaces what others have in such a directory.
    chmodSync(data, 0o1777);
    await openToJobUser([jobs], user);
    expect(accessOf(jobs)).toEqual(opened);
  });

  test('by another link, it is refused', async () => {
    const open = mkdtempSync(path.join(root, 'open-'));
    chmodSync(open, 0o777);
    symlinkSync(data, path.join(open, 'data'));
    await expect(openToJobUser([path.join(open, 'data')], user)).rejects.toThrow(refusal(open));
    expect(accessOf(data)).toEqual(own);
  });

  test('a program of root must not be his, nor lie where he may write', async () => {
    chmodSync(data, 0o711);
    const program = path.join(data, 'tool');
    writeFileSync(program, '');
    await openToJobUser([jobs], { ...user, programs: [program] });
    chownSync(program, id, id);
    await expect(openToJobUser([jobs], { ...user, programs: [program] })).rejects.toThrow(refusal(program));
    chownSync(program, 0, 0);
    const link = path.join(root, `tool-of-${path.basename(data)}`);
    symlinkSync(program, link);
    await openToJobUser([jobs], { ...user, programs: [link] });
    chmodSync(data, 0o777);
    await expect(openToJobUser([root], { ...user, programs: [link] })).rejects.toThrow(refusal(data));
  });
});

describe('a user as whom nothing can be run is refused', () => {
  test.each<[string, readonly string[], string]>([
    ['no such program', ['/no/such/setpriv'], 'ENOENT'],
    ['a program that says why', ['/bin/sh', '-c', 'echo "not permitted" >&2; exit 1'], 'not permitted'],
    ['a program that says nothing', ['/bin/sh', '-c', 'exit 3'], 'it ended with 3'],
    ['a program that is ended', ['/bin/sh', '-c', 'kill -9 $$'], 'it ended with a signal'],
  ])('%s', async (_what, words, why) => {
    await expect(openToJobUser([data], { ...user, commandPrefix: words })).rejects.toThrow(
      new RegExp(`^LAB_API_JOB_USER: nothing can be run as this user: .*${why}`),
    );
    expect(accessOf(data).mode).toBe('700');
  });

  test('and so is a directory that is not there', async () => {
    await expect(openToJobUser([path.join(root, 'gone')], user)).rejects.toThrow('ENOENT');
  });
});
