import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from '../../../../src/engine/core/engine-context.ts';
import { writeNodeRecords } from '../../../../src/engine/state/node-records.ts';
import type { LabEntry } from '../../../../src/engine/core/lab-status.ts';
import { logged, updateRegistry } from '../../../../src/engine/state/lab-registry.ts';
import { statusCommand, type StatusOptions } from '../../../../src/engine/commands/status.ts';
import { handMadeLab } from '../../../support/engine-lab.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(root, 'home-'));
});

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(path.resolve('tests/fixtures/netlab', `${name}.json`), 'utf8'));

async function shown(options: Partial<StatusOptions>) {
  let text = '';
  const context: EngineContext = {
    home,
    cwd: '/labs/demo',
    runDir: path.join(home, 'run'),
    seesKernel: false,
    out: (part) => (text += part),
    err: () => undefined,
    interrupted: new AbortController().signal,
  };
  return { exitCode: await statusCommand(context, { all: false, format: 'json', ...options }), text };
}

async function running(instance: string, dir: string, state: LabEntry['status'] = 'started'): Promise<void> {
  const fresh = { dir, log: [], name: 'demo', providers: ['netns'], topology: 'topology.yml' };
  await updateRegistry(
    home,
    (entries) => void entries.set(instance, logged({ ...fresh, status: 'starting' }, state, state)),
  );
  await writeNodeRecords(home, handMadeLab({ instance, links: [['h1', 'h2']] }));
}

describe("status has netlab's answers", () => {
  test('when there are no labs', async () => {
    const { exitCode, text } = await shown({ all: true });
    expect([exitCode, JSON.parse(text)]).toEqual([1, golden('status-none')]);
    expect(await shown({ all: true, format: 'text' })).toEqual({
      exitCode: 1,
      text: 'No netlab-managed labs\n',
    });
  });

  test('for all labs', async () => {
    await running('default', '/labs/demo');
    const { exitCode, text } = await shown({ all: true });
    const answer = JSON.parse(text);
    expect([exitCode, Object.keys(answer)]).toEqual([0, ['default']]);
    const expected = golden('status-all') as { default: object };
    expect(Object.keys(answer.default).toSorted()).toEqual(Object.keys(expected.default).toSorted());
  });

  test('for one lab, by instance and by directory', async () => {
    await running('default', '/labs/demo');
    const { exitCode, text } = await shown({ instance: 'default' });
    const answer = JSON.parse(text);
    const expected = golden('status-instance') as { nodes: { r1: object } };
    expect([exitCode, Object.keys(answer).toSorted()]).toEqual([0, Object.keys(expected).toSorted()]);
    // Our nodes have no image.
    const members = Object.keys(expected.nodes.r1).filter((member) => member !== 'image');
    expect(Object.keys(answer.nodes.h1)).toEqual(members);
    expect((await shown({})).text).toBe(text);
  });

  test('for a lab that is half started', async () => {
    await running('default', '/labs/demo', 'starting');
    const { exitCode, text } = await shown({ instance: 'default' });
    expect([exitCode, JSON.parse(text)]).toEqual([0, golden('status-half-started')]);
    expect((await shown({ instance: 'default', format: 'text' })).text).toMatch(
      /^Lab default in \/labs\/demo: starting\n {2}\d{4}/,
    );
  });

  test('for an unknown lab', async () => {
    await running('default', '/labs/demo');
    const { exitCode, text } = await shown({ instance: 'nope' });
    expect([exitCode, JSON.parse(text)]).toEqual([0, golden('status-unknown')]);
    await expect(shown({ instance: 'nope', format: 'text' })).rejects.toThrow('Unknown lab instance nope');
  });
});

describe('status', () => {
  test('calls nothing up that the kernel does not have', async () => {
    await running('default', '/labs/demo');
    const answer = JSON.parse((await shown({ instance: 'default' })).text);
    expect(answer).toMatchObject({ status: 'missing', nodes: { h1: { status: 'missing' } } });
  });

  test('draws tables, and writes YAML', async () => {
    await running('default', '/labs/demo');
    const { text } = await shown({ all: true, format: 'text' });
    expect(text).toMatch(/^Active lab instance\(s\)\n\n┌/);
    expect(text).toContain('│ default │ /labs/demo │ missing │ netns     │');
    expect((await shown({ instance: 'default', format: 'text' })).text).toMatch(
      /Lab default in \/labs\/demo\n {2}status: {6}missing\n/,
    );
    expect((await shown({ all: true, format: 'yaml' })).text).toMatch(/^default:\n {2}dir: \/labs\/demo\n/);
  });

  test('shows every lab in a directory without one', async () => {
    await running('5', '/labs/five');
    expect(Object.keys(JSON.parse((await shown({})).text))).toEqual(['5']);
  });
});
