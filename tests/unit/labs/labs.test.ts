/** What jobs and clients ask about the labs of this machine, with a lab CLI that answers like netlab. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkspacePlaces } from '../../../src/labs/workspaces/workspace-places.ts';
import { createLabs } from '../../../src/labs/create-labs.ts';
import type { JobLabs } from '../../../src/labs/job-labs.ts';
import type { Labs } from '../../../src/labs/labs.ts';
import { noLimit } from '../../../src/labs/nodes/node-places.ts';
import { failureOf } from '../../support/failure-of.ts';
import { fixtureProgram, writeProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { noOwnJobs } from '../../support/own-jobs.ts';

const root = realpathSync(temporaryDirectory());
const netlabLike = fixtureProgram('fake-netlab');
let machine: string;
let workdir: string;
let state: string;
let env: Record<string, string>;

beforeEach(() => {
  machine = mkdtempSync(path.join(root, 'machine-'));
  [workdir, state] = [path.join(machine, 'lab'), path.join(machine, 'state')];
  mkdirSync(workdir);
  mkdirSync(path.join(state, 'instances'), { recursive: true });
  // Before every other: what `down` left is asked of the Docker of this machine.
  writeProgram(path.join(machine, 'bin/docker'), 'exit 0');
  env = { PATH: `${machine}/bin:/usr/bin:/bin`, HOME: machine, FAKE_LAB_STATE: state, LAB_API_PASSWORD: 'x' };
});

interface Machine {
  readonly cli?: string;
  readonly roots?: readonly string[];
  readonly statusMaxAgeMs?: number;
  readonly shutdown?: AbortSignal;
}

function make({ cli = netlabLike, roots = [], statusMaxAgeMs = 60_000, shutdown }: Machine = {}): ReturnType<
  typeof createLabs
> {
  return createLabs({
    cli,
    env,
    roots,
    topologyHosts: [],
    dataDir: '/nowhere',
    statusMaxAgeMs,
    statusTimeoutMs: 30_000,
    nodePlaces: noLimit,
    shutdown: shutdown ?? new AbortController().signal,
    workspaces: new WorkspacePlaces(path.join(machine, 'workspaces')),
    makeWorkspace: async () => undefined,
    ownJobs: noOwnJobs,
  });
}

const labsOf = (changes: Machine = {}): Labs => make(changes).labs;
const jobsOf = (changes: Machine = {}): JobLabs => make(changes).forJobs;
const absent = () => ({ cli: path.join(machine, 'absent') });
/** How often the lab CLI was asked that. */
const runs = (what: string): number =>
  readFileSync(path.join(state, 'runs'), { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line.startsWith(what)).length;
const startLab = (instance: string, directory = workdir): void =>
  writeFileSync(path.join(state, 'instances', instance), directory);

describe('the lab CLI', () => {
  test('is looked for each time: one that is installed later is found', async () => {
    const file = path.join(machine, 'later/netlab');
    const labs = labsOf({ cli: file });
    expect(labs.clis()).toEqual([['netlab', undefined]]);
    writeProgram(file, 'echo "netlab version 26.10 of $FAKE_LAB_STATE$LAB_API_PASSWORD"');
    expect(labs.clis()).toMatchObject([['netlab', { name: 'netlab', file }]]);
    expect(await labs.members[0]?.version()).toBe('26.10');
  });

  test('that is missing is said to whoever needs it', async () => {
    expect(() => labsOf(absent()).members[0]?.judge.environment()).toThrow(
      expect.objectContaining({ code: 'lab-cli-missing' }),
    );
    const plan = jobsOf(absent()).plan({ action: 'status', options: {} });
    expect(await failureOf(plan)).toMatchObject({ code: 'lab-cli-missing' });
    expect(await failureOf(labsOf(absent()).members[0]!.status.directories(true))).toMatchObject({
      code: 'lab-cli-missing',
    });
  });
});

describe('a plan', () => {
  test('runs the lab CLI in the directory of the instance, inside the roots', async () => {
    startLab('seven');
    const request = { action: 'down', options: { instance: 'seven' } } as const;
    const { command, ...planned } = await jobsOf({ roots: [machine] }).plan(request);
    expect(planned).toMatchObject({ workdir, instance: 'seven', warnings: [] });
    expect(command('')).toEqual([netlabLike, 'down', '--instance', 'seven']);
    const elsewhere = jobsOf({ roots: ['/etc'] });
    expect(await failureOf(elsewhere.plan(request))).toMatchObject({ code: 'forbidden-path' });
    expect([elsewhere.allows(workdir), elsewhere.allows('/etc')]).toEqual([false, true]);
  });
});

test('the status is asked for anew when a job may have changed a lab, and when the file of the lab CLI has changed', async () => {
  const labs = labsOf();
  const directories = async () => labs.members[0]!.status.directories(false);
  expect([await directories(), await directories(), runs('status')]).toEqual([[], [], 1]);
  startLab('one');
  expect([await directories(), runs('status')]).toEqual([[], 1]);
  labs.noteChange();
  expect([await directories(), runs('status')]).toEqual([[workdir], 2]);
  mkdirSync(path.join(machine, '.netlab'));
  writeFileSync(path.join(machine, '.netlab/status.yaml'), 'changed: true\n');
  expect([await directories(), runs('status')]).toEqual([[workdir], 3]);
});

describe('after exit code 0', () => {
  const record = (action: 'up' | 'down' | 'collect', request = {}) => ({
    action,
    workdir,
    instance: null,
    request,
  });

  test('up is believed', async () => {
    startLab('default');
    expect(await jobsOf().verify(record('up'), '')).toBeUndefined();
    expect(runs('status')).toBe(0);
  });

  test('down is not, while the status, asked anew, lists the lab', async () => {
    const { labs, forJobs } = make();
    expect(await labs.members[0]!.status.directories(false)).toEqual([]);
    startLab('default');
    expect(await forJobs.verify(record('down'), '')).toContain('the status still lists');
    expect(await forJobs.verify(record('down', { dryRun: true }), '')).toBeUndefined();
    expect(await forJobs.verify(record('down', { dryRun: 'true' }), '')).toContain('the status still lists');
  });

  test('down is not, while there are containers of the lab, whatever the status says', async () => {
    const container = `clab-demo-r1\\t${workdir}/clab.yml\\t`;
    writeProgram(path.join(machine, 'bin/docker'), `printf '${container}\\n'`);
    for (const forJobs of [jobsOf(), jobsOf(absent())])
      expect(await forJobs.verify(record('down'), '')).toContain('the containers clab-demo-r1');
  });
});
