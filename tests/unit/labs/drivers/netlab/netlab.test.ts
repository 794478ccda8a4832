import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { netlab } from '../../../../../src/labs/drivers/netlab/netlab.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

test.each([
  {
    name: 'of the HOME that it is given',
    env: { HOME: '/home/alice' },
    expected: '/home/alice/.netlab/status.yaml',
  },
  { name: 'of this user', env: {}, expected: path.join(os.homedir(), '.netlab/status.yaml') },
])("the state file is netlab's, in the home directory $name", ({ env, expected }) => {
  expect(netlab.stateFile(env)).toBe(expected);
});

describe('what an action that failed or was ended may have left', () => {
  const errors = path.resolve(import.meta.dirname, '../../../../fixtures/netlab/errors');
  const logs = readdirSync(errors).map((name) => ({
    name: path.basename(name, '.log'),
    log: readFileSync(path.join(errors, name), 'utf8'),
  }));
  const refusals = [
    'image-to-build',
    'many-errors',
    'missing-element',
    'template-error',
    'unknown-device',
    'yaml-duplicate',
    'yaml-indentation',
    'yaml-tab',
  ];
  const unlocked = temporaryDirectory();
  const locked = temporaryDirectory();
  writeFileSync(path.join(locked, 'netlab.lock'), '');

  test.each(logs)('$name, without a lock', ({ name, log }) => {
    expect(netlab.mayHaveLeftLab({}, unlocked, log)).toBe(!refusals.includes(name));
  });

  test.each(logs)('$name, in a directory with a lock: perhaps', ({ log }) => {
    expect(netlab.mayHaveLeftLab({}, locked, log)).toBe(true);
  });

  test('a log that does not say, a line of another program, and a directory that cannot be looked at: perhaps', () => {
    const refusal = 'Fatal error in netlab: Cannot proceed beyond this point due to errors, exiting\n';
    expect(netlab.mayHaveLeftLab({}, unlocked, refusal)).toBe(false);
    expect(netlab.mayHaveLeftLab({}, unlocked, '')).toBe(true);
    expect(netlab.mayHaveLeftLab({}, unlocked, `${refusal}Fatal error in netlab: something else\n`)).toBe(
      true,
    );
    expect(netlab.mayHaveLeftLab({}, path.join(locked, 'netlab.lock'), refusal)).toBe(true);
  });
});
