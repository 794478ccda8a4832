/** The built service on data directories of earlier versions, which scripts/data-directory.mjs has made. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dataDirFormat } from '../../src/jobs/store/data-dir-format.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import {
  makeGround,
  runProgram,
  startProgram,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const directory = path.resolve('tests/fixtures/data-directories');
const names = readdirSync(directory).map((name) => path.basename(name, '.tar.gz'));
const authorization = `Basic ${Buffer.from('ops:of-a-data-directory').toString('base64')}`;

interface Seen {
  readonly at: string;
  readonly without: readonly string[];
  /** Newest first, as they were when the machine went down. */
  readonly jobs: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly state: string;
  })[];
  readonly logs: Readonly<Record<string, string>>;
  readonly workspaces: readonly { readonly name: string }[];
  readonly eventId: string | null;
  readonly cookie: string | null;
}

/** The data has been moved since: files that name their places name the new ones. */
function unpack(name: string, ground: Ground): { home: string; seen: Seen } {
  execFileSync('tar', ['-C', ground.root, '-xzf', path.join(directory, `${name}.tar.gz`)]);
  const home = path.join(ground.root, 'lab-api');
  const { logs } = JSON.parse(readFileSync(path.join(ground.root, 'seen.json'), 'utf8')) as Seen;
  for (const entry of readdirSync(ground.root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name === 'log') continue;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/var/lib/lab-api', home));
  }
  const seen = JSON.parse(readFileSync(path.join(ground.root, 'seen.json'), 'utf8')) as Seen;
  return { home, seen: { ...seen, logs } };
}

describe.each(names)('the data directory of %s', (name) => {
  const ground = makeGround();
  const { home, seen } = unpack(name, ground);
  const inState = (state: string) => seen.jobs.find((job) => job.state === state)!;
  const [running, queued] = [inState('running'), inState('queued')];
  const ended = seen.jobs.filter(({ state }) => state !== 'running' && state !== 'queued');
  /** A test of what that version has. */
  const testOf = (what: string, ...[words, body]: Parameters<typeof test>): void => {
    if (!seen.without.includes(what)) test(words, body);
  };
  let receiver: WebhookReceiver;
  let service: RunningProgram;

  /** As long after the machine went down as it may be in life: what is kept for a day is there still. */
  async function start(secondsLater: number): Promise<RunningProgram> {
    const env = {
      HOME: home,
      LAB_API_CLI: 'engine',
      LAB_API_DATA_DIR: home,
      LAB_API_USER: 'ops',
      LAB_API_PASSWORD: 'of-a-data-directory',
      LAB_API_WEBHOOK_URL: receiver.url,
      CLOCK_AT: new Date(Date.parse(seen.at) + secondsLater * 1000).toISOString(),
      NODE_OPTIONS: `--require ${path.resolve('tests/fixtures/clock-at.cjs')}`,
    };
    const client = { headers: { authorization } };
    return startProgram({ ground, env, client, cwd: path.join(home, 'labs') });
  }
  /** Without the messages to their callbacks, which are tried on and on. */
  const list = async () => {
    const { jobs } = (await service.get('/jobs?limit=100')).json as { jobs: { id: string }[] };
    return jobs.map((job) => ({ ...job, webhook: undefined }));
  };

  beforeAll(async () => {
    receiver = await WebhookReceiver.make();
    service = await start(60);
  });

  test('ended jobs are as they were, with their logs', async () => {
    const jobs = await list();
    expect(jobs.map(({ id }) => id)).toEqual(seen.jobs.map(({ id }) => id));
    for (const job of ended) {
      const { webhook, ...rest } = job;
      expect(await service.job(job.id)).toMatchObject(rest);
      expect((await service.job(job.id)).webhook === null).toBe((webhook ?? null) === null);
      expect(await service.logText(job.id)).toBe(seen.logs[job.id]);
    }
  });

  test('the job that ran is interrupted; the one that waited runs', async () => {
    expect(await service.ended(running.id)).toMatchObject({
      state: 'failed',
      reason: 'interrupted',
      exitCode: null,
    });
    expect(await service.logText(running.id)).toContain(seen.logs[running.id]);
    expect(await service.ended(queued.id)).toMatchObject({ state: 'success', exitCode: 0 });
  });

  test('a repeated request makes no second job, and new jobs run', async () => {
    const body = { action: 'create', workdir: path.join(home, 'labs/round'), topology: 'nodes: [r1, r2]' };
    const repeated = await service.post('/jobs', body, { 'Idempotency-Key': '"of-a-data-directory"' });
    expect(repeated.json).toMatchObject({ code: 'idempotency-key-reused', jobId: queued.id });
    expect(await service.ended(await service.start(body))).toMatchObject({ state: 'success' });
  });

  testOf('workspaces', 'its workspaces have their files', async () => {
    const { workspaces } = (await service.get('/workspaces')).json;
    expect(workspaces).toMatchObject([{ name: 'first', owner: 'ops' }]);
    expect((await service.get('/workspaces/first/files/notes.txt')).text).toBe('kept\n');
  });

  testOf('sessions', 'who was logged in is so still', async () => {
    const reply = await service.get('/session', { cookie: seen.cookie!, authorization: '' });
    expect(reply.json).toMatchObject({ user: 'ops' });
  });

  test('the lab that was up is missing, with its lease; the one that was taken down can be started again', async () => {
    const { labs } = (await service.get('/labs')).json;
    const kept = labs.find(({ id }: { id: string }) => id === '190');
    expect(kept).toMatchObject({ state: 'missing', workdir: path.join(home, 'labs/kept') });
    expect(kept.expiresAt === null).toBe(seen.without.includes('leases'));
    const { stoppedLabs } = (await service.get('/stopped-labs')).json;
    expect(stoppedLabs).toMatchObject([{ workdir: path.join(home, 'labs/round') }]);
  });

  testOf('events', 'events and webhooks go on where they were', async () => {
    const events = new EventReader(
      await service.open('/events', { headers: { 'Last-Event-ID': seen.eventId! } }),
    );
    expect(await events.next()).toMatchObject({
      event: 'job',
      data: { change: 'created', job: { id: seen.jobs.at(-1)!.id } },
    });
    events.close();
    const types = () =>
      receiver.messages.filter(({ body }) => body.data.job?.id === queued.id).map(({ body }) => body.type);
    await eventually('all messages of the job', () => types().includes('job.success') || undefined);
    expect(types()).toEqual(['job.queued', 'job.running', 'job.success']);
  });

  test('nothing is lost at the next start', async () => {
    const before = await list();
    await service.end('SIGKILL');
    service = await start(600);
    expect(await list()).toEqual(before);
    expect(readdirSync(path.join(home, 'jobs/.quarantine'))).toEqual([]);
    expect(JSON.parse(readFileSync(path.join(home, 'format.json'), 'utf8'))).toMatchObject({
      format: dataDirFormat,
    });
  });
});

describe('a data directory of a later version', () => {
  const format = (content: string): string => {
    const ground = makeGround();
    unpack(names.at(-1)!, ground);
    writeFileSync(path.join(ground.root, 'lab-api/format.json'), content);
    return ground.root;
  };
  /** Every file with its content, time and place. */
  const all = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const { mtimeMs, ino } = statSync(file);
      return [file, mtimeMs, ino, entry.isFile() ? readFileSync(file, 'utf8') : ''];
    });

  test.each([
    [
      `{"format":${dataDirFormat + 1},"version":"98.7.6"}`,
      / has format \d+ of lab-api 98\.7\.6, and this version knows \d+; install lab-api 98\.7\.6 or newer, or restore a backup/,
    ],
    ['', /format\.json cannot be read or understood: .*; restore the file from a backup, or remove it/],
  ])('is refused before anything is written: format.json has %j', async (content, words) => {
    const root = format(content);
    const dataDir = path.join(root, 'lab-api');
    const before = all(dataDir);
    const env = { PATH: process.env['PATH'], HOME: root, LAB_API_DATA_DIR: dataDir, LAB_API_PORT: '0' };
    const start = runProgram(['api'], env, root);
    expect(await start.exit).toBe(1);
    expect(start.output()).toMatch(words);
    expect(start.output().trimEnd().split('\n')).toHaveLength(1);
    const doctor = runProgram(['doctor'], env, root);
    expect(await doctor.exit).toBe(1);
    expect(doctor.output().replaceAll(/\s+/g, ' ')).toMatch(/data directory/);
    expect(doctor.output()).toContain(/install lab-api 98\.7\.6|remove it/.exec(start.output())![0]);
    expect(all(dataDir)).toEqual(before);
  });
});
