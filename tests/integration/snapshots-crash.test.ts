/**
 * Takes the state of the disk before every step of a change of a snapshot, as it is after a SIGKILL there, and starts a service
 * on each. That service finds all of a snapshot or nothing, all copies or none, and nothing else is left.
 */
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../support/client.ts';
import { makeGround, startProgram, startService, topologyThat } from '../support/service.ts';

const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');
const copies = 2;
const restore = async (client: Client, body: object) =>
  client.request('/snapshots/stage/restore', { method: 'POST', body });

const keep = async (client: Client) =>
  client.request('/labs/default/snapshots', { method: 'POST', body: { name: 'stage' } });
const replace = async (client: Client) => restore(client, { workspace: 'class', replace: true });

interface Change {
  readonly what: string;
  readonly hasSnapshot: boolean;
  readonly act: (client: Client) => Promise<{ readonly status: number }>;
  readonly isSnapshotAfter: boolean;
  readonly jobsAfter: number;
}

const changes: readonly Change[] = [
  { what: 'a new snapshot', hasSnapshot: false, act: keep, isSnapshotAfter: true, jobsAfter: 0 },
  {
    what: 'a removal',
    hasSnapshot: true,
    act: async (client) => client.request('/snapshots/stage', { method: 'DELETE' }),
    isSnapshotAfter: false,
    jobsAfter: 0,
  },
  {
    what: 'copies',
    hasSnapshot: true,
    act: async (client) => restore(client, { workspace: 'class', copies }),
    isSnapshotAfter: true,
    jobsAfter: copies,
  },
  {
    what: 'a replaced workspace',
    hasSnapshot: true,
    act: replace,
    isSnapshotAfter: true,
    jobsAfter: 1,
  },
];

interface Crash {
  /** As the service left it. */
  readonly dataDir: string;
  /** The step that the service did not begin. */
  readonly step: string;
  readonly isAnswered: boolean;
}

async function assertWhole(change: Change, { dataDir, ...crash }: Crash, env: Record<string, string>) {
  const next = await startService({ env: { ...env, LAB_API_DATA_DIR: dataDir } });
  const { json } = await next.get('/snapshots');
  const isKept = json.snapshots.length === 1;
  const jobs = (await next.get('/jobs?action=up')).json.jobs.filter(
    ({ labels }: { labels: Record<string, string> }) => labels['snapshot'] === 'stage',
  );
  if (isKept) {
    const reply = await fetch(`${next.url}/snapshots/stage/files`);
    const listed = execFileSync('tar', ['tzf', '-'], { input: Buffer.from(await reply.arrayBuffer()) });
    expect(String(listed)).toContain('snapshot-topology.yml');
  }
  // A file that was there before, or the one of the snapshot: those of copies that were not accepted are gone.
  const found = readdirSync(path.join(dataDir, 'workspaces')).filter((name) => name.startsWith('class'));
  const files = found.toSorted().flatMap((name) => readdirSync(path.join(dataDir, 'workspaces', name)));
  const [ofSnapshot, mine] = ['snapshot-topology.yml', 'mine'].map(
    (file) => files.filter((one) => one === file).length,
  );
  expect({ ...crash, ofSnapshot, mine }).toEqual({
    ...crash,
    ofSnapshot: jobs.length,
    mine: change.act === replace && jobs.length === 0 ? 1 : 0,
  });
  const isUndone = isKept === change.hasSnapshot && jobs.length === 0;
  const isDone = isKept === change.isSnapshotAfter && jobs.length === change.jobsAfter;
  const left = ['snapshots/.incoming', 'workspaces/.lab-api/incoming', 'workspaces/.lab-api/trash'].flatMap(
    (name) => readdirSync(path.join(dataDir, name)),
  );
  const together = existsSync(path.join(dataDir, 'jobs/together.json'));
  expect({ ...crash, isSound: isDone || (isUndone && !crash.isAnswered), left, together }).toEqual({
    ...crash,
    isSound: true,
    left: [],
    together: false,
  });
  await next.stop({ cancelJobs: true });
}

test.each(changes)(
  '$what is whole or absent after a crash before any of its steps',
  async (change) => {
    const ground = makeGround();
    const [mark, states] = [path.join(ground.root, 'mark'), path.join(ground.root, 'copies')];
    const env = {
      LAB_API_MAX_RUNNING_JOBS: '1',
      NODE_OPTIONS: `--require=${preload}`,
      CRASH_MARK: mark,
      CRASH_COPY: ground.dataDir,
      CRASH_NOTE: states,
    };
    const program = await startProgram({ ground, env });
    const up = { action: 'up', workspace: 'one', topology: topologyThat() };
    const { json } = await program.request('/jobs', { method: 'POST', body: up });
    expect((await program.get(`/jobs/${json.id}?wait=30`)).json.state).toBe('success');
    if (change.hasSnapshot) expect((await keep(program)).status).toBe(201);
    if (change.act === replace) {
      await program.request('/workspaces/class', { method: 'PUT' });
      await program.request('/workspaces/class/files/mine', { method: 'PUT', body: Buffer.from('mine') });
    }
    // Copies wait behind it, so that what starts first is no part of the steps.
    const busy = ground.makeWorkdir('busy');
    const wait = { action: 'create', workdir: busy, topology: topologyThat('wait_for end') };
    await program.request('/jobs', { method: 'POST', body: wait });
    await ground.waitsFor('end');
    writeFileSync(mark, '');
    expect((await change.act(program)).status).toBeLessThan(300);
    await program.end('SIGKILL');
    const crashes = readdirSync(states).map((number): Crash => {
      const place = path.join(states, number);
      return {
        dataDir: path.join(place, 'data'),
        step: readFileSync(path.join(place, 'step'), 'utf8'),
        isAnswered: existsSync(path.join(place, 'answered')),
      };
    });
    // A preload that does not reach the calls would find nothing wrong either.
    expect(crashes.length).toBeGreaterThanOrEqual(5);
    const killed: Crash = { dataDir: ground.dataDir, step: 'the end', isAnswered: true };
    // One after the other: each takes over the job that waits.
    for (const crash of [...crashes, killed]) await assertWhole(change, crash, ground.env);
    ground.let('end');
  },
  120_000,
);
