import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCaptured } from '../../../../src/labs/system/run.ts';
import type { RunResult } from '../../../../src/labs/system/run.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { LabStatus } from '../../../../src/labs/status/lab-status.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const fixtures = path.resolve(__dirname, '../../../fixtures');
const recorded = (name: string): Buffer => readFileSync(path.join(fixtures, 'netlab', name));
const root = temporaryDirectory();
const kept = { fresh: false };

let directory: string;
let stateFile: string;
let world: { nowMs: number; epoch: number };
let status: LabStatus;

/** What the lab CLI answers from now on; undefined removes an answer. */
function answer(name: string, content: string | Buffer | undefined, exitCode = 0): void {
  const file = path.join(directory, 'answers', name);
  if (content === undefined) rmSync(file);
  else writeFileSync(file, content);
  writeFileSync(`${file}.code`, String(exitCode));
}

function runs(): string[] {
  try {
    return readFileSync(path.join(directory, 'runs'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

function statusWith(runCli: (args: readonly string[]) => Promise<RunResult>): LabStatus {
  return new LabStatus({
    driver: () => netlab,
    runCli,
    maxAgeMs: 1_000,
    stateFile: () => stateFile,
    epoch: () => world.epoch,
    now: () => world.nowMs,
  });
}

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'case-'));
  mkdirSync(path.join(directory, 'answers'));
  stateFile = path.join(directory, 'status.yaml');
  world = { nowMs: 0, epoch: 0 };
  const program = path.join(fixtures, 'programs/fake-lab-status');
  const env = { PATH: '/usr/bin:/bin', FAKE_DIR: directory };
  status = statusWith((args) => runCaptured(program, args, { env, timeoutMs: 20_000 }));
  answer('all.json', recorded('status-all.json'));
  answer('all.txt', recorded('status-all.txt'));
  answer('default.json', recorded('status-instance.json'));
  answer('default.txt', recorded('status-instance.txt'));
});

describe('all labs', () => {
  test.each([
    ['json', 'status-all.json'],
    ['text', 'status-all.txt'],
  ] as const)('%s is byte for byte what the CLI printed', async (format, file) => {
    expect(await status.all(format, kept)).toEqual({ body: recorded(file), format, ageMs: 0 });
  });

  test.each([
    ['json', 'status-none.json'],
    ['text', 'status-none.txt'],
  ] as const)('no labs (exit code 1) is a document in %s', async (format, file) => {
    answer('all.json', recorded('status-none.json'), 1);
    answer('all.txt', recorded('status-none.txt'), 1);
    expect((await status.all(format, kept)).body).toEqual(recorded(file));
    expect((await status.entries(false)).size).toBe(0);
  });

  test('text that fails while there are labs is a failure with its last lines', async () => {
    answer('all.txt', 'one\n\u001b[31mtwo\u001b[0m\n', 1);
    const error = await failureOf(status.all('text', kept));
    expect(error.code).toBe('lab-cli-failed');
    expect(error.extra['output']).toEqual(['one', 'two']);
    expect(error.message).toContain('exit code 1: two');
  });

  test.each([
    ['a job that starts or ends', () => (world.epoch += 1)],
    ['a change of the state file', () => writeFileSync(stateFile, 'changed')],
    ['another lab CLI, with a state file of its own', () => (stateFile += '.other')],
  ])('%s makes it stale', async (_what, change) => {
    await status.all('json', kept);
    change();
    await status.all('json', kept);
    expect(runs()).toHaveLength(2);
  });

  test.each([
    { name: 'not JSON', output: 'Traceback', code: 0 },
    { name: 'a list', output: '[]', code: 0 },
    { name: 'an error', output: '{"error": "no way"}', code: 0 },
    { name: 'a document with a failing exit code', output: '{}', code: 3 },
  ])('$name is a failure', async ({ output, code }) => {
    answer('all.json', output, code);
    expect(await failureOf(status.all('json', kept))).toMatchObject({ code: 'lab-cli-failed' });
  });

  test('half a state file is read once more', async () => {
    writeFileSync(
      path.join(directory, 'answers/all.json.once'),
      'Fatal error: Cannot read lab status file /x',
    );
    expect((await status.all('json', kept)).body).toEqual(recorded('status-all.json'));
    expect(runs()).toHaveLength(2);
  });
});

describe('one lab', () => {
  test.each([
    ['json', 'status-instance.json'],
    ['text', 'status-instance.txt'],
  ] as const)('%s is byte for byte what the CLI printed', async (format, file) => {
    expect((await status.instance('default', format, kept)).body).toEqual(recorded(file));
    await status.instance('default', format, kept);
    expect(runs()).toHaveLength(2);
  });

  test.each(['nope', '__proto__', 'constructor', '--all', ''])(
    'unknown %p starts no run of its own',
    async (id) => {
      expect(await failureOf(status.instance(id, 'json', kept))).toMatchObject({
        code: 'instance-not-found',
      });
      expect(await failureOf(status.instance(id, 'text', { fresh: true }))).toMatchObject({
        code: 'instance-not-found',
      });
      expect(runs()).toEqual(['status --all --format json']);
    },
  );

  test('a lab that is not up is answered with its entry', async () => {
    answer('default.json', recorded('status-half-started.json'));
    const { body } = await status.instance('default', 'json', kept);
    const all = JSON.parse(recorded('status-all.json').toString()) as Record<string, unknown>;
    expect(JSON.parse(body.toString())).toEqual(all['default']);
  });

  test('a lab that went away while we asked is not found', async () => {
    await status.entries(false);
    answer('all.json', recorded('status-none.json'), 1);
    answer('default.json', recorded('status-unknown.json'));
    expect(await failureOf(status.instance('default', 'json', kept))).toMatchObject({
      code: 'instance-not-found',
    });
  });

  test.each(['json', 'text'] as const)('a crash in %s is a failure with the entry', async (format) => {
    answer(
      format === 'json' ? 'default.json' : 'default.txt',
      "Traceback\nUnboundLocalError: variable 'pfile'\n",
      1,
    );
    const error = await failureOf(status.instance('default', format, kept));
    expect(error).toMatchObject({ code: 'lab-cli-failed', extra: { lab: { dir: '/labs/demo' } } });
    expect(error.message).toContain('UnboundLocalError');
  });
});

describe('a CLI that does not come to its end', () => {
  const result: RunResult = {
    exitCode: null,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
    ended: null,
    spawnError: null,
  };
  test.each([
    ['lab-cli-timeout', { ended: 'timeout' as const, signal: 'SIGKILL' as const }],
    ['lab-cli-failed', { ended: 'too-much-output' as const }],
    ['lab-cli-failed', { spawnError: 'spawn netlab ENOENT' }],
    ['lab-cli-failed', { signal: 'SIGSEGV' as const }],
    ['shutting-down', { ended: 'aborted' as const }],
  ])('%s for %j', async (code, how) => {
    const broken = statusWith(() => Promise.resolve({ ...result, ...how }));
    expect(await failureOf(broken.all('json', kept))).toMatchObject({ code });
    expect(await failureOf(broken.all('text', kept))).toMatchObject({ code });
    expect(await failureOf(broken.instance('x', 'json', kept))).toMatchObject({ code });
  });
});
