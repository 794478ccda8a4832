/** Jobs and workspaces as one user may have them: the look-up, and the question that is asked again in the turn of a change. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Groups } from '../../../src/access/model/groups.ts';
import { anybody } from '../../../src/access/model/principal.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import type { Machine } from '../../../src/restricted/machine.ts';
import { UserAccess } from '../../../src/restricted/user-access.ts';
import { UserJobs } from '../../../src/restricted/user-jobs.ts';
import { UserWorkspaces, type Workspace } from '../../../src/restricted/workspace.ts';
import { noQuotas } from '../../support/no-quotas.ts';
import { failureOf } from '../../support/failure-of.ts';

const place = '/nowhere/workspaces/course';
let owner: string | null;
let isThere: boolean;
/** Runs in the turn of a change, right before the workspace asks again. */
let inTurn: () => void;
let calls: unknown[];

/** Calls the check of a change in its turn. */
const change =
  (name: string) =>
  async (...given: unknown[]): Promise<void> => {
    const last = given.at(-1) as (() => void) | { readonly mayChange: () => void };
    inTurn();
    if (typeof last === 'function') last();
    else last.mayChange();
    calls.push(name);
  };

const job = { id: 'job-1', requestedBy: 'otto', workdir: place, createdAt: '2026-01-02T03:04:05Z' };
const machine = {
  config: { ownership: 'strict', templatesDir: undefined },
  labs: { onRecord: () => ({ labs: [] }) },
  owners: { ownerOf: () => null, sharesOf: () => [] },
  groups: () => new Groups(),
  quotas: noQuotas,
  jobs: {
    get: async (id: string) => {
      calls.push(`get ${id}`);
      if (id === job.id) return Promise.resolve(job);
      throw new AppError('job-not-found', 'no');
    },
    cancel: async (id: string) => Promise.resolve(calls.push(`cancel ${id}`)),
    retry: async () => Promise.reject(new AppError('lab-cli-failed', 'secret')),
  },
  workspaces: {
    directoryOf: () => place,
    nameOf: (directory: string) => (directory === place ? 'course' : null),
    isTaken: () => isThere,
    recordOf: () => (isThere ? { owner, createdAt: '2026-01-01T00:00:00Z' } : undefined),
    get: async () => Promise.resolve('the workspace'),
    list: async (isVisible: (name: string) => boolean) => Promise.resolve(['course'].filter(isVisible)),
    make: change('make'),
    replace: change('replace'),
    remove: change('remove'),
    setAccess: change('give'),
  },
  files: { write: change('write'), remove: change('remove file') },
} as unknown as Machine;

function accessOf(name: string, workdirs: readonly string[] | null = null): UserAccess {
  return new UserAccess({ ...anybody, role: 'operator', name, workdirs }, machine);
}
const workspacesOf = (name: string, workdirs?: readonly string[]) =>
  new UserWorkspaces({ machine, access: accessOf(name, workdirs) });

beforeEach(() => {
  [owner, isThere, calls, inTurn] = ['otto', true, [], () => undefined];
});

describe('a workspace', () => {
  test('is found by who may read it, and changed by its owner', async () => {
    const codeOf = async (find: () => unknown) => (await failureOf((async () => find())())).code;
    expect(workspacesOf('otto').find('course', 'change').name).toBe('course');
    expect(workspacesOf('olga').find('course', 'read').name).toBe('course');
    expect(await codeOf(() => workspacesOf('olga').find('course', 'change'))).toBe('forbidden');
    const nick = workspacesOf('nick', ['/nowhere/else']);
    expect(await codeOf(() => nick.find('course', 'read'))).toBe('workspace-not-found');
    expect(await codeOf(async () => nick.find('course', 'make').make('nick'))).toBe('forbidden');
    expect([await nick.list(), await workspacesOf('olga').list()]).toEqual([[], ['course']]);
    isThere = false;
    expect(await codeOf(() => workspacesOf('otto').find('course', 'change'))).toBe('workspace-not-found');
  });

  const changes: readonly (readonly [string, (workspace: Workspace) => Promise<unknown>])[] = [
    ['make', async (workspace) => workspace.make('otto')],
    ['replace', async (workspace) => workspace.replace('otto', undefined as never)],
    ['remove', async (workspace) => workspace.remove()],
    ['give', async (workspace) => workspace.give('olga')],
    ['write', async (workspace) => workspace.writeFile('a', undefined as never, () => undefined)],
    ['remove file', async (workspace) => workspace.removeFile('a', () => undefined)],
  ];

  test.each(changes)('that another user gets meanwhile refuses in its turn: %s', async (name, request) => {
    const workspace = workspacesOf('otto').find('course', 'read');
    await request(workspace);
    inTurn = () => void (owner = 'olga');
    expect((await failureOf(request(workspace))).code).toBe('forbidden');
    expect(calls).toEqual([name]);
  });

  test('asks nothing where users do not log in', async () => {
    owner = 'olga';
    const workspace = new UserWorkspaces({ machine, access: undefined }).find('course', 'change');
    for (const [, request] of changes) await request(workspace);
    expect(calls).toEqual(changes.map(([name]) => name));
  });
});

describe('a job', () => {
  const codeOf = async (found: Promise<unknown>) => (await failureOf(found)).code;

  test('is found by who may read it, and changed by its owner', async () => {
    const olga = new UserJobs(machine, accessOf('olga'));
    expect(await (await olga.find('job-1', 'read')).view()).toBe(job);
    expect(calls).toEqual(['get job-1']);
    expect(await codeOf(olga.find('job-1', 'change'))).toBe('forbidden');
    expect(await codeOf(olga.find('job-2', 'change'))).toBe('job-not-found');
    const nick = new UserJobs(machine, accessOf('nick', ['/nowhere/else']));
    expect(await codeOf(nick.find('job-1', 'read'))).toBe('job-not-found');
    await (await new UserJobs(machine, accessOf('otto')).find('job-1', 'change')).cancel({} as never);
    expect(calls.at(-1)).toBe('cancel job-1');
  });

  test('is not looked up where users do not log in', async () => {
    await (await new UserJobs(machine, undefined).find('job-1', 'change')).cancel({} as never);
    expect(calls).toEqual(['cancel job-1']);
  });

  test('that is run again does not reveal the output of the lab CLI to a user who may not see all labs', async () => {
    owner = 'nick';
    const nick = new UserJobs(machine, accessOf('otto', [place]));
    const failure = await failureOf((await nick.find('job-1', 'change')).retry({} as never));
    expect([failure.code, failure.message]).toEqual([
      'lab-cli-failed',
      expect.not.stringContaining('secret'),
    ]);
  });
});
