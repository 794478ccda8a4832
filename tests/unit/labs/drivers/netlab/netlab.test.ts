import { describe, expect, test } from '@jest/globals';
import { statSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { netlab } from '../../../../../src/labs/drivers/netlab/netlab.ts';
import { printed } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

test.each([
  [{ HOME: '/home/alice' }, '/home/alice/.netlab/status.yaml'],
  [{}, path.join(os.homedir(), '.netlab/status.yaml')],
])('the state file of netlab, with %j, is %s', (env, expected) => {
  expect(netlab.stateFile(env)).toBe(expected);
});

describe('what an action that failed or was ended may have left', () => {
  const errors = path.resolve(import.meta.dirname, '../../../../fixtures/netlab/errors');
  const logs = readdirSync(errors).map((name) => ({
    name: path.basename(name, '.log'),
    log: readFileSync(path.join(errors, name), 'utf8'),
  }));
  const refusals = [
    'directory-taken',
    'image-to-build',
    'instance-taken',
    'many-errors',
    'missing-element',
    'no-snapshot',
    'template-error',
    'unknown-device',
    'yaml-duplicate',
    'yaml-indentation',
    'yaml-tab',
  ];
  const unlocked = temporaryDirectory();
  const locked = temporaryDirectory();
  writeFileSync(path.join(locked, 'netlab.lock'), '');
  const lockedAtMs = statSync(path.join(locked, 'netlab.lock')).mtimeMs;

  /** An `up` that began now. */
  const mayHaveLeft = (directory: string, logEnd: string): boolean =>
    netlab.mayHaveLeftLab({}, { action: 'up', directory, logEnd, isQuiet: false, beganMs: Date.now() });

  test.each(logs)('$name, without a lock', ({ name, log }) => {
    expect(mayHaveLeft(unlocked, log)).toBe(!refusals.includes(name));
  });

  test.each(logs)(
    '$name, with a lock: something of this action, nothing of one that began later',
    ({ log }) => {
      const left = (beganMs: number | null): boolean =>
        netlab.mayHaveLeftLab({}, { action: 'up', directory: locked, logEnd: log, isQuiet: false, beganMs });
      // An action that changes an existing lab may leave it half changed.
      expect([lockedAtMs, lockedAtMs + 60, null].map(left)).toEqual([true, false, true]);
    },
  );

  test('an up that ended while it wrote its files: nothing', () => {
    const full = 'Fatal error in pickle: Cannot write pickled data: [Errno 28] No space left on device\n';
    const creating = 'Creating configuration files\nCreated provider configuration file: clab.yml\n';
    expect(mayHaveLeft(unlocked, creating + full)).toBe(false);
    // Ended by a signal.
    expect(mayHaveLeft(unlocked, creating)).toBe(false);
    const later = `${creating}Checking virtualization provider installation\n`;
    expect(mayHaveLeft(unlocked, later + full)).toBe(true);
    // The beginning of its log is not there.
    expect(mayHaveLeft(unlocked, full)).toBe(true);
  });

  test('a log that does not say, a line of another program, and a directory that cannot be looked at: perhaps', () => {
    const refusal = 'Fatal error in netlab: Cannot proceed beyond this point due to errors, exiting\n';
    expect(mayHaveLeft(unlocked, refusal)).toBe(false);
    expect(mayHaveLeft(unlocked, '')).toBe(true);
    expect(mayHaveLeft(unlocked, 'netlab up: error: unrecognized arguments: --fast\n')).toBe(false);
    expect(mayHaveLeft(unlocked, 'Fatal error in netlab: docker version failed, aborting\n')).toBe(false);
    expect(mayHaveLeft(unlocked, 'Fatal error in netlab up: docker run failed, aborting...\n')).toBe(true);
    expect(mayHaveLeft(unlocked, `${refusal}Fatal error in netlab: something else\n`)).toBe(true);
    expect(mayHaveLeft(path.join(locked, 'netlab.lock'), refusal)).toBe(true);
  });
});

test('its program is known by its name, and its topologies by the end of theirs', () => {
  expect(['/a/netlab', '/netlab/a', '/a/netlab2'].map((file) => netlab.recognizes(file))).toEqual([
    true,
    false,
    false,
  ]);
  const names = ['a.yml', 'a.yaml', 'a.yml.bak', 'ayml', 'a.yaaml'];
  expect(names.map((name) => netlab.topologies.isName(name))).toEqual([true, true, false, false, false]);
  expect(netlab.find({ PATH: '/nowhere' })).toBeUndefined();
});

test.each([
  ['up', 0, true],
  ['up', 3, false],
  ['validate', 1, false],
  // Tests gave a warning, and none failed.
  ['validate', 3, true],
] as const)('%s with exit code %i is a success: %s', (action, code, expected) => {
  expect(netlab.isSuccess(action, code)).toBe(expected);
});

describe('after down with exit code 0', () => {
  const workdir = temporaryDirectory();

  test('its status, its lock and its containers are looked at', async () => {
    const verify = async (listed: readonly string[], containers: string, dryRun = false) =>
      netlab.resultChecks['lab-is-gone']({
        workdir,
        instance: null,
        dryRun,
        ofSomeNodes: false,
        nodes: [],
        logEnd: '',
        instanceDirs: () => Promise.resolve(listed),
        look: () => Promise.resolve(printed(containers)),
      });
    const left = `clab-demo-r1\t${workdir}/clab.yml\t\n`;
    expect(await verify([], '')).toBeUndefined();
    expect(await verify([workdir], '')).toContain('the status still lists');
    expect(await verify([], left)).toContain('the containers clab-demo-r1');
    expect(await verify([workdir], left, true)).toBeUndefined();
  });
});

test('providers come with their status', async () => {
  const read = netlab.needs.providers?.read;
  expect(await read?.('clab:\n  status: OK\nvirtualbox:\n  status: N/A\nodd:\n')).toEqual([
    { name: 'clab', status: 'OK' },
    { name: 'virtualbox', status: 'N/A' },
    { name: 'odd', status: 'undefined' },
  ]);
  expect(await read?.('')).toEqual([]);
});

describe('a down with "force" that exited with 0', () => {
  const behind = async (logEnd: string) =>
    netlab.leftBehind!({ command: [], instance: null, logEnd, look: async () => printed(''), env: {} });

  test('tells that it could stop no node', async () => {
    const log =
      "Checking virtualization provider installation\nFatal error in netlab: Cannot run 'docker version'. Install Docker.\nCleanup configuration files\n... removing clab.yml\n";
    expect(await behind(log)).toEqual([
      "nodes of the lab may still run, because netlab went on in spite of this: Cannot run 'docker version'. Install Docker",
    ]);
  });

  test('tells nothing of what other programs printed', async () => {
    expect(await behind('Stopping clab nodes\nError: no such network\n')).toEqual([]);
  });
});
