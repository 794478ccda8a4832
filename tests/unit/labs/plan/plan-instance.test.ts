import { beforeEach, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { planCommand, type LabRequest, type PlanContext } from '../../../../src/labs/plan/plan-command.ts';
import { planContext, serverWithLab } from '../../../support/plan-context.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let server: string;
let lab: string;
let known: Record<string, string>;

beforeEach(() => {
  ({ server, lab } = serverWithLab(root));
  known = {};
});

/** The instance of the job that the request asks for. */
async function instanceOf(request: Partial<LabRequest>, context: Partial<PlanContext> = {}) {
  const { instance } = await planCommand(
    { action: 'up', options: {}, ...request },
    { ...planContext(server, known), ...context },
  );
  return instance;
}

const multilab = 'plugin: [multilab]\ndefaults: { multilab.id: 7 }\nnodes: [a]\n';

test.each<[string, Partial<LabRequest>, string]>([
  ['inline text', { topology: multilab }, '7'],
  ['an inline object', { topology: { defaults: { multilab: { id: 7 } }, nodes: ['a'] } }, '7'],
  ['a setting', { topology: multilab, options: { set: { 'defaults.multilab.id': 8 } } }, '8'],
  [
    'multilabId, which is the last setting',
    { options: { multilabId: 9, set: { 'defaults.multilab.id': 8 } } },
    '9',
  ],
  ['text that is too large to look at', { topology: `${multilab}# ${'x'.repeat(200_000)}` }, 'default'],
  ['an id that is none', { topology: 'defaults.multilab.id: [7]\nnodes: [a]' }, 'default'],
  ['text without one', { topology: 'name: multilab\nnodes: [a]' }, 'default'],
])('the instance is that of %s', async (_what, request, instance) => {
  expect(await instanceOf({ workdir: 'lab', ...request })).toBe(instance);
  expect(await instanceOf({ workdir: 'lab', ...request, action: 'create' })).toBe(instance);
});

test('the instance is that of the file', async () => {
  writeFileSync(path.join(lab, 'topology.yml'), multilab);
  expect(await instanceOf({ workdir: 'lab' })).toBe('7');
  expect(await instanceOf({ topologyPath: 'lab/topology.yml' })).toBe('7');
  writeFileSync(path.join(lab, 'topology.yml'), 'defaults.multilab.id: [\n');
  expect(await instanceOf({ workdir: 'lab' })).toBe('default');
});

test('the instance is the one that the request names, whatever is in the directory', async () => {
  known = { demo: lab };
  expect(await instanceOf({ action: 'status', workdir: 'lab', options: { instance: 'x' } })).toBe('x');
});

test.each(['down', 'collect', 'status'] as const)(
  '%s by directory is about the lab there',
  async (action) => {
    known = { other: server, demo: lab };
    expect(await instanceOf({ action, workdir: 'lab' })).toBe('demo');
    known = {};
    expect(await instanceOf({ action, workdir: 'lab' })).toBeNull();
  },
);

test('a lab that starts from its snapshot is called what the status calls it, or what the request says', async () => {
  known = { demo: lab };
  const request = { workdir: 'lab', options: { snapshot: true } };
  expect(await instanceOf(request)).toBe('demo');
  expect(await instanceOf({ ...request, options: { snapshot: true, multilabId: 3 } })).toBe('3');
});

test('a status that fails, or takes its time, keeps nobody from anything', async () => {
  const down = { action: 'down', workdir: 'lab' } as const;
  for (const instanceIn of [
    () => Promise.reject(new Error('broken')),
    () => new Promise<never>(() => undefined),
  ]) {
    expect(await instanceOf(down, { instanceIn })).toBeNull();
  }
});
