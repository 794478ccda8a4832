/**
 * Takes the state of the disk before every step of a change of a workspace, as it is after a SIGKILL there, and starts a
 * service on each. That service finds the old files or the new ones, all of them; the new ones if the client had the reply;
 * and nothing else is left.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tarGzOf } from '../support/archives.ts';
import type { Client } from '../support/client.ts';
import { makeGround, startProgram, startService, topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const gzip = { 'Content-Type': 'application/gzip' };
const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');

const archiveOf = (version: string): Buffer =>
  tarGzOf(
    { name: 'version', content: version },
    { name: `only-${version}/deep/file`, content: version.repeat(2000) },
    { name: 'empty', type: '5' },
    { name: 'lab.yml', content: topologyThat() },
  );

/** A directory with the same files. */
const templates = temporaryDirectory();
beforeAll(() => void execFileSync('tar', ['-xz', '-C', templates], { input: archiveOf('new') }));

const replace = async (client: Client, version: string) =>
  client.request('/workspaces/course', { method: 'PUT', body: archiveOf(version), headers: gzip });

/** `old` or `new` when the workspace has all files of that version; undefined without a workspace; else the paths in it. */
function versionIn(dataDir: string): string | undefined {
  const top = path.join(dataDir, 'workspaces', 'course');
  if (!existsSync(top)) return undefined;
  const found = readdirSync(top, { recursive: true }).map(String).toSorted().join(' ');
  for (const version of ['old', 'new']) {
    const whole = [
      'empty',
      'lab.yml',
      `only-${version}`,
      `only-${version}/deep`,
      `only-${version}/deep/file`,
      'version',
    ];
    const isWhole = found === whole.join(' ') && readFileSync(path.join(top, 'version'), 'utf8') === version;
    if (isWhole && readFileSync(path.join(top, `only-${version}/deep/file`), 'utf8') === version.repeat(2000))
      return version;
  }
  return found;
}

interface Change {
  readonly what: string;
  readonly before: 'old' | undefined;
  readonly act: (client: Client) => Promise<{ readonly status: number }>;
  readonly after: 'new' | undefined;
}

const changes: readonly Change[] = [
  { what: 'a new workspace', before: undefined, act: async (client) => replace(client, 'new'), after: 'new' },
  { what: 'a replacement', before: 'old', act: async (client) => replace(client, 'new'), after: 'new' },
  {
    what: 'a copy of a template',
    before: undefined,
    act: async (client) =>
      client.request(`/workspaces/course?template=${templates}/lab.yml`, { method: 'PUT' }),
    after: 'new',
  },
  {
    what: 'a removal',
    before: 'old',
    act: async (client) => client.request('/workspaces/course', { method: 'DELETE' }),
    after: undefined,
  },
];

interface Crash {
  /** As the service left it. */
  readonly dataDir: string;
  /** The step that the service did not begin. */
  readonly step: string;
  /** Whether the client had the reply. */
  readonly isAnswered: boolean;
}

/** Starts the next service on a data directory, and checks what it finds there. */
async function assertWhole({ before, after }: Change, { dataDir, ...crash }: Crash): Promise<void> {
  const next = await startService({ env: { LAB_API_DATA_DIR: dataDir } });
  const found = versionIn(dataDir);
  const left = ['incoming', 'trash'].flatMap((name) =>
    readdirSync(path.join(dataDir, 'workspaces', '.lab-api', name)),
  );
  const expected = crash.isAnswered || found === after ? after : before;
  expect({ ...crash, found, left }).toEqual({ ...crash, found: expected, left: [] });
  // It works on.
  expect((await replace(next, 'new')).status).toBe(found === undefined ? 201 : 200);
  await next.stop();
}

test.each(changes)('$what is complete or absent after a crash before any of its steps', async (change) => {
  const ground = makeGround();
  const [mark, copies] = [path.join(ground.root, 'mark'), path.join(ground.root, 'copies')];
  const env = {
    NODE_OPTIONS: `--require=${preload}`,
    CRASH_MARK: mark,
    CRASH_COPY: ground.dataDir,
    CRASH_NOTE: copies,
  };
  const program = await startProgram({ ground, env });
  if (change.before) expect((await replace(program, change.before)).status).toBe(201);
  writeFileSync(mark, '');
  expect((await change.act(program)).status).toBeLessThan(300);
  await program.end('SIGKILL');
  const crashes = readdirSync(copies).map((number): Crash => {
    const place = path.join(copies, number);
    return {
      dataDir: path.join(place, 'data'),
      step: readFileSync(path.join(place, 'step'), 'utf8'),
      isAnswered: existsSync(path.join(place, 'answered')),
    };
  });
  // A preload that does not reach the calls would find nothing wrong either.
  expect(crashes.length).toBeGreaterThanOrEqual(10);
  expect(crashes.map(({ step }) => step).join('\n')).toContain('before rename');
  const killed: Crash = { dataDir: ground.dataDir, step: 'the end', isAnswered: true };
  await Promise.all([...crashes, killed].map(async (crash) => assertWhole(change, crash)));
});
