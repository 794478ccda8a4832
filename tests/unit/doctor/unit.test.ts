import { describe, expect, test } from '@jest/globals';
import { checkUnit, unitOfCgroup } from '../../../src/doctor/unit.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('the unit of a process', () => {
  test.each<[string, string, ReturnType<typeof unitOfCgroup>]>([
    ['cgroup v2', '0::/system.slice/lab-api.service\n', { name: 'lab-api.service', isUser: false }],
    [
      'cgroup v1',
      '9:name=systemd:/system.slice/lab-api.service\n4:memory:/system.slice/lab-api.service\n0::/\n',
      { name: 'lab-api.service', isUser: false },
    ],
    [
      'of a user',
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/labs.service\n',
      { name: 'labs.service', isUser: true },
    ],
    ['a terminal', '0::/user.slice/user-1000.slice/session-3.scope\n', undefined],
    [
      'a terminal on a desktop',
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n',
      undefined,
    ],
    ['a container', '0::/\n', undefined],
    ['nothing', '', undefined],
  ])('%s', (_what, cgroup, unit) => {
    expect(unitOfCgroup(cgroup)).toEqual(unit);
  });
});

describe('KillMode, as systemctl tells it', () => {
  const root = temporaryDirectory();

  async function check(systemctl: string) {
    const env = { PATH: programDirectory(root, { systemctl }), LAB_API_DATA_DIR: root };
    return checkUnit(subjectOf(env), root);
  }
  const shows = (...lines: readonly string[]): string =>
    `[ "$*" = "show --property=LoadState --property=KillMode lab-api.service" ] || exit 9\nprintf '%s\\n' ${lines.join(' ')}`;

  test.each<[string, string, string, RegExp]>([
    ['process', shows('LoadState=loaded', 'KillMode=process'), 'ok', /jobs outlive a restart/],
    [
      'control-group',
      shows('LoadState=loaded', 'KillMode=control-group'),
      'failed',
      /KillMode=control-group, a restart ends/,
    ],
    ['mixed', shows('LoadState=loaded', 'KillMode=mixed'), 'failed', /KillMode=mixed/],
    [
      'no such unit',
      shows('LoadState=not-found', 'KillMode=control-group'),
      'skipped',
      /there is no unit lab-api\.service/,
    ],
    ['systemctl fails', 'echo "Failed to connect to bus" >&2; exit 1', 'failed', /Failed to connect to bus$/],
  ])('%s', async (_what, systemctl, kind, detail) => {
    expect(await check(systemctl)).toMatchObject({ kind, detail: expect.stringMatching(detail) });
  });

  test('a machine without systemd', async () => {
    expect((await checkUnit(subjectOf({}), '/no/systemd')).kind).toBe('skipped');
  });
});
