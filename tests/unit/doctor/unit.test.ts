import { describe, expect, test } from '@jest/globals';
import { checkUnit, unitOfCgroup } from '../../../src/doctor/unit.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('the unit of a process', () => {
  test.each<{ name: string; cgroup: string; unit: ReturnType<typeof unitOfCgroup> }>([
    {
      name: 'cgroup v2',
      cgroup: '0::/system.slice/lab-api.service\n',
      unit: { name: 'lab-api.service', isUser: false },
    },
    {
      name: 'cgroup v1',
      cgroup: '9:name=systemd:/system.slice/lab-api.service\n4:memory:/system.slice/lab-api.service\n0::/\n',
      unit: { name: 'lab-api.service', isUser: false },
    },
    {
      name: 'of a user',
      cgroup: '0::/user.slice/user-1000.slice/user@1000.service/app.slice/labs.service\n',
      unit: { name: 'labs.service', isUser: true },
    },
    { name: 'a terminal', cgroup: '0::/user.slice/user-1000.slice/session-3.scope\n', unit: undefined },
    {
      name: 'a terminal on a desktop',
      cgroup: '0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n',
      unit: undefined,
    },
    { name: 'a container', cgroup: '0::/\n', unit: undefined },
    { name: 'nothing', cgroup: '', unit: undefined },
  ])('$name', ({ cgroup, unit }) => {
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

  test.each<{ name: string; systemctl: string; kind: string; detail: RegExp }>([
    {
      name: 'process',
      systemctl: shows('LoadState=loaded', 'KillMode=process'),
      kind: 'ok',
      detail: /jobs outlive a restart/,
    },
    {
      name: 'control-group',
      systemctl: shows('LoadState=loaded', 'KillMode=control-group'),
      kind: 'failed',
      detail: /KillMode=control-group, a restart ends/,
    },
    {
      name: 'mixed',
      systemctl: shows('LoadState=loaded', 'KillMode=mixed'),
      kind: 'failed',
      detail: /KillMode=mixed/,
    },
    {
      name: 'no such unit',
      systemctl: shows('LoadState=not-found', 'KillMode=control-group'),
      kind: 'skipped',
      detail: /there is no unit lab-api\.service/,
    },
    {
      name: 'systemctl fails',
      systemctl: 'echo "Failed to connect to bus" >&2; exit 1',
      kind: 'failed',
      detail: /Failed to connect to bus$/,
    },
  ])('$name', async ({ systemctl, kind, detail }) => {
    expect(await check(systemctl)).toMatchObject({ kind, detail: expect.stringMatching(detail) });
  });

  test('a machine without systemd', async () => {
    expect((await checkUnit(subjectOf({}), '/no/systemd')).kind).toBe('skipped');
  });
});
