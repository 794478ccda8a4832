/** Where a service of root refuses to run jobs as another user, and what `lab doctor` says of it. */
import { describe, expect } from '@jest/globals';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeOwnGround, missingForJobUser, uid, variables } from '../support/job-user.ts';
import { writeProgram } from '../support/programs.ts';
import { testUnless } from '../support/requirements.ts';
import { runProgram } from '../support/service.ts';

const { because, it } = testUnless(missingForJobUser);

describe('a start', () => {
  async function refused(
    own: ReturnType<typeof makeOwnGround>,
    env: Record<string, string>,
  ): Promise<string> {
    const { ground, through } = own;
    const all = { ...ground.env, ...variables, LAB_API_ROOTS: ground.root, ...env };
    const { exit, output } = runProgram(['api'], all, ground.root, through);
    expect(await exit).toBe(2);
    return output();
  }

  it.each([
    { name: 'root', why: '"root" is root, whom jobs are to be kept apart from' },
    { name: 'no-such-user', why: 'there is no user "no-such-user" in /etc/passwd' },
  ])(`with $name is refused${because}`, async ({ name, why }) => {
    const output = await refused(makeOwnGround(), { LAB_API_JOB_USER: name });
    expect(output).toContain(`LAB_API_JOB_USER: ${why}`);
  });

  it(`of anybody but root is refused, and of root without its capabilities${because}`, async () => {
    const own = makeOwnGround();
    const other = ['setpriv', '--reuid', '65534', '--clear-groups', '--'];
    expect(await refused({ ...own, through: [...own.through, ...other] }, {})).toContain(
      'only root can run jobs as another user',
    );
    const less = ['setpriv', '--bounding-set', '-kill', '--'];
    expect(await refused({ ...own, through: [...own.through, ...less] }, {})).toContain('needs CAP_KILL');
  });

  it(`is refused where the user could replace what the service keeps, or cannot come through${because}`, async () => {
    const own = makeOwnGround();
    const ofUser = path.join(own.home, 'data');
    expect(await refused(own, { LAB_API_DATA_DIR: ofUser })).toContain(
      `"labs" may write to ${own.home}, and so replace`,
    );
    const planted = path.dirname(writeProgram(path.join(own.home, 'bin/flock'), 'exec /usr/bin/flock "$@"'));
    expect(await refused(own, { PATH: `${planted}:${own.ground.env['PATH']}` })).toContain(
      `"labs" may write to ${own.home}`,
    );
    const closed = path.join(own.ground.root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(path.join(closed, 'other'), '');
    chmodSync(closed, 0o600);
    const inside = path.join(closed, 'data');
    expect(await refused(own, { LAB_API_DATA_DIR: inside })).toContain(`"labs" cannot enter ${inside}`);
  });
});

describe('lab doctor', () => {
  it(`tells whom jobs run as, and that the user cannot enter a root${because}`, async () => {
    const { ground, through } = makeOwnGround();
    const closed = path.join(ground.root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    for (const [root, seen] of [
      [ground.root, { result: 'ok', detail: expect.stringContaining(`labs (uid ${uid})`) }],
      [closed, { result: 'warning', detail: `labs cannot enter ${closed}` }],
    ] as const) {
      const env = { ...ground.env, LAB_API_JOB_USER: 'labs', LAB_API_ROOTS: root };
      const { exit, output } = runProgram(['doctor', '--json'], env, ground.root, through);
      await exit;
      const { checks } = JSON.parse(output()) as { checks: { name: string }[] };
      expect(checks.find(({ name }) => name === 'job user')).toMatchObject(seen);
    }
  });
});
