import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { statusCommand } from '../../../../../src/engine/commands/status.ts';
import type { LabEntry } from '../../../../../src/engine/core/lab-status.ts';
import { logged, updateRegistry } from '../../../../../src/engine/state/lab-registry.ts';
import { writeNodeRecords } from '../../../../../src/engine/state/node-records.ts';
import { engineInterfaces } from '../../../../../src/labs/drivers/engine/engine-interfaces.ts';
import { answerOfState } from '../../../../../src/labs/drivers/engine/engine-state.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { identify } from '../../../../../src/lib/processes/processes.ts';
import { handMadeLab } from '../../../../support/engine-lab.ts';
import { printed as runResult } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(root, 'home-'));
});

async function running(instance: string, state: LabEntry['status'] = 'started'): Promise<void> {
  const dir = `/labs/${instance}`;
  const fresh = { dir, log: [], name: 'demo', providers: ['netns'], topology: 'topology.yml' };
  await updateRegistry(
    home,
    (entries) => void entries.set(instance, logged({ ...fresh, status: 'starting' }, state, state)),
  );
  await writeNodeRecords(home, handMadeLab({ instance, links: [['h1', 'h2']] }));
}

const argumentsFor = (instance: string | undefined): string[] => [
  'status',
  ...(instance === undefined ? ['--all'] : ['--instance', instance]),
  '--format',
  'json',
];

async function answered(instance?: string, isOtherUser = true) {
  const end = await answerOfState(argumentsFor(instance), { env: { LAB_HOME: home }, isOtherUser });
  return end && { exitCode: end.exitCode, text: end.stdout.toString() };
}

/** The output of the engine itself, on a machine without the namespaces. */
async function printed(instance?: string) {
  let text = '';
  const context = {
    home,
    cwd: '/',
    runDir: path.join(home, 'run'),
    seesKernel: false,
    out: (part: string) => (text += part),
    err: () => undefined,
    interrupted: new AbortController().signal,
  };
  const about = instance === undefined ? { all: true } : { all: false, instance };
  return { exitCode: await statusCommand(context, { ...about, format: 'json' }), text };
}

const documentOf = async (instance?: string): Promise<Record<string, unknown>> =>
  JSON.parse((await answered(instance))?.text ?? '{}');

describe('the service says of the labs of the engine what `lab status` prints', () => {
  test('without labs', async () => {
    expect(await answered()).toEqual(await printed());
    expect(await answered()).toMatchObject({ exitCode: 1 });
    await updateRegistry(home, () => undefined);
    expect(await answered()).toEqual(await printed());
  });

  test.each([undefined, '7', 'default', 'coming', 'unknown'])('of %s', async (instance) => {
    await running('default');
    await running('7');
    await running('coming', 'starting');
    expect(await answered(instance)).toEqual(await printed(instance));
  });

  test('and notices each change', async () => {
    await running('default');
    expect(Object.keys(await documentOf())).toEqual(['default']);
    await running('two', 'stopping');
    expect(Object.keys(await documentOf())).toEqual(['default', 'two']);
    await writeNodeRecords(home, handMadeLab({ instance: 'default', links: [['x1', 'x2', 'x3']] }));
    expect(Object.keys((await documentOf('default'))['nodes'] ?? {})).toEqual(['x1', 'x2', 'x3']);
  });
});

test('only the engine itself answers other questions, and reports a state that is damaged', async () => {
  await running('default');
  const ask = async (line: string) =>
    answerOfState(line.split(' '), { env: { LAB_HOME: home }, isOtherUser: true });
  const asked = [
    'status --all',
    'status --instance ../x --format json',
    'version',
    'status --all --format json -v',
  ];
  for (const line of asked) expect([line, await ask(line)]).toEqual([line, undefined]);
  for (const text of ['{"7": {"dir": "/labs/a"}}', '[]', '{', '{"../7": null}', '['.repeat(9_000)]) {
    writeFileSync(path.join(home, 'status.json'), text);
    expect([text, await answered()]).toEqual([text, undefined]);
  }
});

describe('the nodes of a lab are missing', () => {
  const records = (): string => path.join(home, 'labs/default.json');
  const node = (namespace: string) =>
    JSON.stringify([{ name: 'h1', device: 'linux', namespace, addresses: [] }]);

  test.each([
    '',
    '[',
    '{}',
    '[1]',
    '['.repeat(9_000),
    node('lab-default-h1'),
    node('../../proc/self/ns/net'),
  ])('with the records %.40s', async (text) => {
    await running('default');
    writeFileSync(records(), text);
    expect(await documentOf('default')).toMatchObject({ status: 'missing' });
    expect(await documentOf()).toMatchObject({ default: { status: 'missing' } });
  });

  test('where a link or a pipe has the place of the records', async () => {
    await running('default');
    await running('pipe');
    const elsewhere = path.join(home, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(records()));
    execFileSync('rm', [records(), path.join(home, 'labs/pipe.json')]);
    symlinkSync(elsewhere, records());
    execFileSync('mkfifo', [path.join(home, 'labs/pipe.json')]);
    expect((await documentOf('default'))['nodes']).toEqual({});
    expect((await documentOf('pipe'))['nodes']).toEqual({});
  });
});

describe('the process that keeps the namespaces of a user without privileges', () => {
  const hold = (holder: unknown): void =>
    writeFileSync(path.join(home, 'holder.json'), JSON.stringify(holder));

  test('is only believed in when it is one', async () => {
    await running('default');
    const { startTicks, bootId } = identify(process.pid);
    for (const pid of ['1/../1', 1.5, null]) {
      hold({ pid, startTicks, bootId });
      expect([pid, await answered()]).toEqual([pid, undefined]);
    }
    hold({ pid: process.pid, startTicks: startTicks + 1, bootId });
    expect(await documentOf()).toMatchObject({ default: { status: 'missing' } });
  });

  test('is of no use to a service with privileges of its own: the engine says so', async () => {
    await running('default');
    hold(identify(process.pid));
    const end = await answered('default', false);
    // Without privileges, the service looks for namespaces where that process sees them.
    if (process.getuid?.() === 0) expect(end).toBeUndefined();
    else expect(JSON.parse(end?.text ?? '')).toMatchObject({ status: 'missing' });
  });

  const read = async (result: Partial<RunResult>): Promise<string | null> => {
    const look = async (): Promise<RunResult> => Promise.resolve(runResult('', result));
    const asker = { env: { LAB_HOME: home }, isOtherUser: true };
    return (await engineInterfaces('default', asker, look)).doubt;
  };

  test('may be damaged: interfaces are in doubt then', async () => {
    await running('default');
    expect(await read({})).toBeNull();
    hold({});
    const doubt = 'the state of the engine cannot be read: it is no identity of a process';
    expect(await read({})).toBe(doubt);
  });

  test('may not be entered: interfaces are in doubt then', async () => {
    await running('default');
    hold(identify(process.pid));
    expect(await read({ exitCode: 1 })).toBeNull();
    expect(await read({ spawnError: 'spawn nsenter ENOENT' })).toBe('spawn nsenter ENOENT');
    expect(await read({ ended: 'timeout' })).toBe('the program that reads interfaces was ended (timeout)');
    const stderr = Buffer.from('sh: 4: nsenter: not found\n');
    expect(await read({ exitCode: 127, stderr })).toBe('sh: 4: nsenter: not found');
  });
});

test('a place without a directory of records has no nodes', async () => {
  await running('default');
  execFileSync('rm', ['-r', path.join(home, 'labs')]);
  mkdirSync(path.join(home, 'labs'));
  expect((await documentOf('default'))['nodes']).toEqual({});
});
