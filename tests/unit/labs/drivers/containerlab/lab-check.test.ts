import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Action } from '../../../../../src/labs/model/actions.ts';
import { checkLab } from '../../../../../src/labs/drivers/containerlab/lab-check.ts';
import { container } from '../../../../support/containerlab-recorded.ts';
import { printed } from '../../../../support/run-result.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let [here, there] = ['', ''];

beforeEach(() => {
  const place = mkdtempSync(path.join(root, 'case-'));
  [here, there] = [path.join(place, 'here'), path.join(place, 'there')];
  for (const directory of [here, there]) mkdirSync(directory);
});

/** A lab in a directory, with its topology beside it. */
function lab(name: string, workdir: string): Record<string, unknown> {
  writeFileSync(path.join(workdir, `${name}.clab.yml`), `name: ${name}\n`);
  return { [name]: [container('r1', workdir, name)] };
}

/** The same as netlab starts it. */
function labOfNetlab(name: string, workdir: string): Record<string, unknown> {
  writeFileSync(path.join(workdir, 'netlab.snapshot.pickle'), '');
  writeFileSync(path.join(workdir, 'clab.yml'), `name: ${name}\n`);
  return JSON.parse(JSON.stringify(lab(name, workdir)).replace(`${name}.clab.yml`, 'clab.yml')) as Record<
    string,
    unknown
  >;
}

/** The check of an action in `here`, while these labs run. */
async function check(
  action: Action,
  instance: string | null,
  labs: object | 'broken' = {},
  nodes?: string[],
): Promise<void> {
  const run = () =>
    Promise.resolve(labs === 'broken' ? printed('', { exitCode: 1 }) : printed(JSON.stringify(labs)));
  await checkLab({ action, workdir: here, instance, options: { nodes }, env: {}, run });
}

const refused = async (...given: Parameters<typeof check>) => failureOf(check(...given));

describe('up', () => {
  test('where no lab runs, or its own again', async () => {
    await check('up', 'demo');
    await check('up', 'demo', lab('demo', here));
    await check('up', 'demo', lab('other', there));
  });

  test('its own is told by the real path', async () => {
    const link = path.join(there, 'link');
    symlinkSync(here, link);
    await check('up', 'demo', lab('demo', link));
  });

  test('a name that a lab of another directory has', async () => {
    expect(await refused('up', 'demo', lab('demo', there))).toMatchObject({
      code: 'conflict',
      message: 'a lab "demo" runs in another directory: take it down, or give this one another name',
    });
    const homeless = { demo: [{ Names: ['clab-demo-r1'] }] };
    expect((await refused('up', 'demo', homeless)).message).toContain('runs in another directory');
  });

  test('a directory that has another lab already', async () => {
    expect(await refused('up', 'demo', lab('other', here))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(
        `the lab "other" runs in ${here}: take it down or send "replace", or use another "workdir"`,
      ),
    });
  });

  test('a status that cannot be told', async () => {
    expect(await refused('up', 'demo', 'broken')).toMatchObject({ code: 'lab-cli-failed' });
  });
});

describe.each(['down', 'restart', 'collect', 'exec', 'stop-nodes'] as const)('%s', (action) => {
  test('of the lab of this directory', async () => {
    await check(action, 'demo', { ...lab('demo', here), ...lab('other', there) });
  });

  test('of a lab that is not listed', async () => {
    writeFileSync(path.join(here, 'demo.clab.yml'), 'name: demo\n');
    await check(action, 'demo');
  });

  test('a status that cannot be told keeps nobody from stopping a lab, and from everything else', async () => {
    if (action === 'down') await check(action, 'demo', 'broken');
    else expect(await refused(action, 'demo', 'broken')).toMatchObject({ code: 'lab-cli-failed' });
  });

  test('needs a lab', async () => {
    expect(await refused(action, null)).toMatchObject({ errors: [{ field: 'instance' }] });
  });

  test('is not about the lab of another directory, whose name stands in files of this one', async () => {
    expect(await refused(action, 'demo', lab('demo', there))).toMatchObject({
      code: 'conflict',
      message: `the lab "demo" runs in another directory than ${here}: name it as "instance"`,
    });
  });
});

describe('a lab that netlab has started', () => {
  test.each(['up', 'down', 'restart'] as const)('is not for %s', async (action) => {
    expect(await refused(action, 'demo', labOfNetlab('demo', here))).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /was started by netlab: stop it with "netlab down" in .*LAB_API_CLI=netlab/,
      ),
    });
  });

  test.each(['collect', 'exec'] as const)('may be used by %s', async (action) => {
    await check(action, 'demo', labOfNetlab('demo', here));
  });

  test('is refused with what to send where the service has netlab, too', async () => {
    const run = async () => printed(JSON.stringify(labOfNetlab('demo', here)));
    const asked = { action: 'down', workdir: here, instance: 'demo', options: {}, env: {}, run } as const;
    expect(await failureOf(checkLab({ ...asked, others: ['netlab'] }))).toMatchObject({
      message: expect.stringMatching(/"netlab down" in .*, or with "cli": "netlab"$/),
    });
  });

  test('a topology of somebody else beside its files is none of it', async () => {
    writeFileSync(path.join(here, 'netlab.snapshot.pickle'), '');
    await check('down', 'demo', lab('demo', here));
  });
});

describe('nodes', () => {
  const sr = (name: string) => ({
    ...container(name, here, 'demo'),
    Labels: { ...container(name, here, 'demo').Labels, 'clab-root-node-name': 'sr' },
  });

  test('that the lab has', async () => {
    const labs = lab('demo', here);
    await check('stop-nodes', 'demo', labs, ['r1']);
    await check('stop-nodes', 'demo', labs, ['*']);
    await check('stop-nodes', 'demo', { demo: [sr('sr-a'), sr('sr-1')] }, ['sr']);
  });

  test('that it does not have are refused, with those that it has', async () => {
    lab('demo', here);
    const labs = { demo: [container('r2', here, 'demo'), container('r1', here, 'demo'), sr('sr-a')] };
    for (const action of ['start-nodes', 'stop-nodes', 'restart-nodes'] as const)
      expect(await refused(action, 'demo', labs, ['r1', 'x', 'sr-a'])).toMatchObject({
        code: 'invalid-request',
        errors: [
          {
            field: 'nodes',
            message:
              'x, sr-a: the lab "demo" has no such node that could be started or stopped; it has r1, r2, sr',
          },
        ],
      });
  });

  test('of netlab are not ours to stop: they would come back unconfigured', async () => {
    expect(await refused('stop-nodes', 'demo', labOfNetlab('demo', here), ['r1'])).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was started by netlab, which configures its nodes'),
    });
  });

  test('are known by the topology alone', async () => {
    const labs = lab('demo', here);
    rmSync(path.join(here, 'demo.clab.yml'));
    expect(await refused('stop-nodes', 'demo', labs, ['r1'])).toMatchObject({
      code: 'topology-not-found',
      message: expect.stringContaining('containerlab knows the nodes of a lab by it alone'),
    });
  });
});

test('a lab is not restarted when its topology is gone: there would be none', async () => {
  const labs = lab('demo', here);
  rmSync(path.join(here, 'demo.clab.yml'));
  expect(await refused('restart', 'demo', labs)).toMatchObject({
    code: 'topology-not-found',
    message: expect.stringContaining('the file that "demo" was deployed from is gone'),
  });
  await check('down', 'demo', labs);
  expect(
    (await refused('restart', 'demo', { demo: [{ ...container('r1', here, 'demo'), Labels: {} }] })).code,
  ).toBe('conflict');
});

test.each(['up', 'create'] as const)('%s of a lab without a name would be about all labs', async (action) => {
  expect(await refused(action, null)).toMatchObject({
    code: 'invalid-request',
    errors: [{ field: 'topology', message: expect.stringContaining('must give its lab a name') }],
  });
});

test.each([
  ['status', null],
  ['status', 'demo'],
  ['create', 'demo'],
] as const)('%s of %p is not looked at', async (action, instance) => {
  const run = () => Promise.reject(new Error('nothing is run'));
  await checkLab({ action, workdir: here, instance, options: {}, env: {}, run });
});
