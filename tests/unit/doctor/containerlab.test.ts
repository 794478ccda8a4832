/** What `lab doctor` looks at when containerlab is the lab CLI. */
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { checkDocker, checkLabCli, checkProviders } from '../../../src/doctor/lab-cli.ts';
import { checkPrivileges, checkPrograms } from '../../../src/doctor/privileges.ts';
import type { Subject } from '../../../src/doctor/finding.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const isRoot = process.getuid?.() === 0;

/** A machine on which these are all the programs there are. */
function machine(scripts: Readonly<Record<string, string>>, linked: readonly string[] = []): Subject {
  return subjectOf({ LAB_API_CLI: 'containerlab', PATH: programDirectory(root, scripts, linked) });
}

// As it says it itself (0.79).
const version = 'printf "    version: 0.79.0\\n     commit: 7c0a7a4\\n"';
test('its version is told', async () => {
  expect(await checkLabCli(machine({ containerlab: version }))).toMatchObject({
    kind: 'ok',
    detail: expect.stringMatching(/^containerlab 0\.79\.0, \//),
  });
  expect(await checkLabCli(machine({}))).toMatchObject({
    kind: 'failed',
    detail: 'there is no program "containerlab" on PATH or at this path',
    remedy: expect.stringMatching(/^install it, /),
  });
});

test('no lab starts without Docker', async () => {
  expect(await checkDocker(machine({ containerlab: version }))).toMatchObject({
    kind: 'failed',
    detail: expect.stringMatching(/no lab will start/),
  });
});

test('it has no providers, and calls no programs of its own', async () => {
  expect(await checkProviders(machine({ containerlab: version }))).toMatchObject({ kind: 'skipped' });
  expect(await checkPrograms(machine({ containerlab: version }, ['flock']))).toMatchObject({
    detail: 'flock',
  });
});

describe('its rights', () => {
  test('root has them', async () => {
    if (isRoot)
      expect(await checkPrivileges(machine({ containerlab: version }))).toEqual({
        kind: 'ok',
        detail: 'root',
      });
  });

  test('another user has them when the program is SUID root', async () => {
    const { config, env } = machine({ containerlab: version }, ['id']);
    const subject = { env, config: { ...config, ...(isRoot && { jobUser: 'nobody' }) } };
    expect(await checkPrivileges(subject)).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('containerlab is not SUID root'),
    });
    if (!isRoot) return;
    chmodSync(path.join(env['PATH'] ?? '', 'containerlab'), 0o4755);
    expect((await checkPrivileges(subject)).detail).toMatch(
      /containerlab is SUID root|not in the group clab_admins/,
    );
  });
});
