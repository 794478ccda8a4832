/** What is asked about the labs of a lab CLI that keeps no record of them, and tells them apart by their names alone. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandRecord } from '../../../src/labs/model/command-record.ts';
import { createLabs } from '../../../src/labs/create-labs.ts';
import type { JobLabs } from '../../../src/labs/job-labs.ts';
import type { Labs } from '../../../src/labs/labs.ts';
import { WorkspacePlaces } from '../../../src/labs/workspaces/workspace-places.ts';
import { noLimit } from '../../../src/labs/nodes/node-places.ts';
import { container } from '../../support/containerlab-recorded.ts';
import { eventually } from '../../support/eventually.ts';
import { writeProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { noOwnJobs } from '../../support/own-jobs.ts';

const root = temporaryDirectory();
let machine: string;
let [here, there] = ['', ''];
let labs: Labs;
let forJobs: JobLabs;
let end: AbortController;

afterEach(() => end.abort());

beforeEach(() => {
  machine = mkdtempSync(path.join(root, 'machine-'));
  [here, there] = [path.join(machine, 'here'), path.join(machine, 'there')];
  for (const directory of [here, there]) mkdirSync(directory);
  const file = path.join(machine, 'bin/containerlab');
  const inspect = `echo run >>'${machine}/runs'; cat '${machine}/labs.json'`;
  // Whatever happens, "containerlab events" tells nothing: when it ended, the labs would be looked at once more.
  writeProgram(file, `case $1 in inspect) ${inspect} ;; events) exec sleep 1000 ;; esac`);
  end = new AbortController();
  runs({});
  ({ labs, forJobs } = createLabs({
    cli: 'containerlab',
    env: { PATH: `${machine}/bin:/usr/bin:/bin`, HOME: machine },
    roots: [],
    topologyHosts: [],
    dataDir: '/nowhere',
    statusMaxAgeMs: 3_600_000,
    statusTimeoutMs: 30_000,
    nodePlaces: noLimit,
    shutdown: end.signal,
    workspaces: new WorkspacePlaces(path.join(machine, 'workspaces')),
    makeWorkspace: async () => undefined,
    ownJobs: noOwnJobs,
  }));
});

/** These labs run now, by their directories. */
function runs(directories: Readonly<Record<string, string>>): void {
  const all = Object.entries(directories).map(([id, workdir]) => [id, [container('r1', workdir, id)]]);
  writeFileSync(path.join(machine, 'labs.json'), JSON.stringify(Object.fromEntries(all)));
}

const asked = (): number =>
  readFileSync(path.join(machine, 'runs'), { encoding: 'utf8', flag: 'a+' }).split('\n').length - 1;

describe('the lab in a directory', () => {
  test('is not the one of before the last change: that is asked for anew by itself', async () => {
    await labs.open();
    runs({ demo: here });
    labs.noteChange();
    expect(labs.members[0]!.status.isLastRecent).toBe(false);
    expect(() => labs.labIn(here)).toThrow(expect.objectContaining({ code: 'workspace-busy' }));
    // Who lists the labs that there are gets those of before for so long.
    expect(labs.onRecord()).toEqual({ labs: [], failure: undefined });
    await eventually('the labs were looked at', () => labs.members[0]!.status.isLastRecent);
    expect([labs.labIn(here), asked()]).toEqual(['demo', 2]);
  });
});

describe('right before it starts, a job', () => {
  const job = (changes: Partial<CommandRecord> = {}): CommandRecord => ({
    action: 'up',
    workdir: here,
    instance: 'demo',
    startedAt: null,
    request: {},
    ...changes,
  });
  const running = (changes: Partial<CommandRecord>) => ({ ...job(changes), id: 'job-1' });

  test('goes on beside others', async () => {
    const others = [
      running({ instance: 'other', workdir: there }),
      running({}),
      running({ instance: null }),
      // It changes nothing.
      running({ action: 'status', workdir: there }),
    ];
    expect(await forJobs.whyNotBeside(job(), others)).toBeUndefined();
  });

  test.each(['up', 'down', 'exec'] as const)(
    'of %s waits for none about a lab of its name elsewhere',
    async (action) => {
      expect(await forJobs.whyNotBeside(job({ action }), [running({ workdir: there })])).toBe(
        'another job is at work on a lab "demo" in another directory: one lab has a name at a time',
      );
      expect(asked()).toBe(0);
    },
  );

  test('takes the look at the labs that its own start has caused', async () => {
    await labs.open();
    runs({ demo: there });
    labs.noteChange();
    expect(await forJobs.whyNotBeside(job(), [])).toContain('a lab "demo" runs in another directory');
    await eventually('the newest labs are known', () => labs.members[0]!.status.isLastRecent);
    expect(asked()).toBe(2);
  });

  test('looks again which labs there are', async () => {
    await labs.open();
    runs({ demo: there });
    expect(await forJobs.whyNotBeside(job(), [])).toContain('a lab "demo" runs in another directory');
    expect(await forJobs.whyNotBeside(job({ action: 'down' }), [])).toContain(
      `runs in another directory than ${here}`,
    );
    runs({ demo: here });
    expect(await forJobs.whyNotBeside(job(), [])).toBeUndefined();
  });
});
