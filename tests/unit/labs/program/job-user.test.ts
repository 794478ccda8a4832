import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { environmentFor, findJobUser, missingCapabilities } from '../../../../src/labs/program/job-user.ts';
import { packageFile } from '../../../../src/lib/files/package-root.ts';
import { requirement } from '../../../support/requirements.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const isDirectory = (place: string): boolean =>
  statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
const users = readFileSync('/etc/passwd', 'utf8')
  .split('\n')
  .map((line) => line.split(':'))
  .map(([name = '', , uid = '', gid = '', , home = '']) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
  }))
  .filter(({ name, uid }) => name !== '' && uid !== 0);
const withHome = users.find(({ home }) => isDirectory(home));
const homeless = users.find(({ home }) => !isDirectory(home));
const isRoot = process.getuid?.() === 0;
const whyNot = isRoot ? requirement('setpriv').missing : 'needs root';
/** For the name of a test: why it is skipped. */
const because = (why: string | undefined): string => (why === undefined ? '' : ` (skipped: ${why})`);
const env = { PATH: process.env['PATH'] };

afterEach(() => void jest.restoreAllMocks());

test('the environment is that of the user, without what was told of the session of root', () => {
  const user = { name: 'lab', uid: 7, gid: 8, home: '/home/lab', commandPrefix: [], programs: [] };
  const given = {
    HOME: '/root',
    USER: 'root',
    LOGNAME: 'root',
    PATH: '/bin',
    MAILTO: 'x',
    NETLAB_DEVICE: 'frr',
  };
  const ofSession = {
    XDG_RUNTIME_DIR: 'x',
    SSH_TTY: 'x',
    SUDO_USER: 'x',
    DBUS_X: 'x',
    GPG_TTY: 'x',
    MAIL: 'x',
    OLDPWD: 'x',
  };
  expect(environmentFor(user, { ...given, ...ofSession })).toEqual({
    ...given,
    HOME: '/home/lab',
    USER: 'lab',
    LOGNAME: 'lab',
  });
});

describe('of the capabilities that are needed', () => {
  const needed = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID', 'SYS_PTRACE'].map(
    (name) => `CAP_${name}`,
  );
  const status = (effective: string): string =>
    `Name:\tnode\nCapPrm:\t0000000000000000\nCapEff:\t${effective}\nCapBnd:\t0000000000000000\nNoNewPrivs:\t0\n`;

  test.each([
    ['root of a machine has all', status('000001ffffffffff'), []],
    ['one with these alone, too', status('00000000000800eb'), []],
    ['root of a usual container may not look into processes', status('00000000a80425fb'), ['CAP_SYS_PTRACE']],
    ['a user has none', status('0000000000000000'), needed],
    ['where none are told of, there are none', 'Name:\tCapEff:\t000001ffffffffff\n', needed],
    ['what is no number says nothing', status('000001ffffffffff?'), needed],
  ])('%s', (_what, text, missing) => {
    expect(missingCapabilities(text)).toEqual(missing);
  });
});

test('who is not root finds none', () => {
  jest.spyOn(process, 'getuid').mockReturnValue(1000);
  expect(() => findJobUser('nobody', env)).toThrow('LAB_API_JOB_USER: only root');
});

(whyNot === undefined ? describe : describe.skip)(`for root${because(whyNot)}`, () => {
  (withHome === undefined ? test.skip : test)(
    `one of /etc/passwd is found, with what runs as that${because(withHome === undefined ? 'all users are without directory' : undefined)}`,
    () => {
      const { commandPrefix, programs, ...user } = findJobUser(withHome?.name ?? '', env);
      expect(user).toEqual(withHome);
      const [setpriv = '', ...rights] = commandPrefix;
      expect(path.basename(setpriv)).toBe('setpriv');
      const ids = ['--reuid', String(withHome?.uid), '--regid', String(withHome?.gid)];
      const shell = ['/bin/sh', '-c', 'exec "$@"', 'lab'];
      expect(rights).toEqual([...ids, '--init-groups', '--inh-caps', '-all', '--', ...shell]);
      expect(programs.slice(0, 3)).toEqual([process.execPath, packageFile('.'), setpriv]);
      // Without flock(1), there is none to look after.
      symlinkSync(setpriv, path.join(root, 'setpriv'));
      expect(findJobUser(withHome?.name ?? '', { PATH: root }).programs).toHaveLength(3);
      symlinkSync(setpriv, path.join(root, 'flock'));
      expect(findJobUser(withHome?.name ?? '', { PATH: root }).programs[3]).toBe(path.join(root, 'flock'));
    },
  );

  test.each([
    ['root', '"root" is root'],
    ['no-such-user', 'there is no user "no-such-user" in /etc/passwd'],
  ])('%j is none that jobs run as', (name, why) => {
    expect(() => findJobUser(name, env)).toThrow(`LAB_API_JOB_USER: ${why}`);
  });

  (homeless === undefined ? test.skip : test)(
    `one without a home directory is none${because(homeless === undefined ? 'all users have one' : undefined)}`,
    () => {
      expect(() => findJobUser(homeless?.name ?? '', env)).toThrow(`no home directory (${homeless?.home})`);
    },
  );

  test('without setpriv there is no way', () => {
    expect(() => findJobUser(withHome?.name ?? '', { PATH: '/nowhere' })).toThrow('needs setpriv on PATH');
  });
});
