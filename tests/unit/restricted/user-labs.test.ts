/** The labs of a machine with netlab and containerlab, as users may have them: which lab an id means, and when a user is refused. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Groups } from '../../../src/access/model/groups.ts';
import { anybody, type Principal } from '../../../src/access/model/principal.ts';
import type { Labs } from '../../../src/labs/labs.ts';
import type { Machine } from '../../../src/restricted/machine.ts';
import { UserAccess } from '../../../src/restricted/user-access.ts';
import { UserJobs } from '../../../src/restricted/user-jobs.ts';
import { UserLabs } from '../../../src/restricted/user-labs.ts';
import { failureOf } from '../../support/failure-of.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../support/machine-of-labs.ts';
import { noQuotas } from '../../support/no-quotas.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const signal = new AbortController().signal;
let machine: MachineOfLabs;
/** With the lab `one` of netlab, and `two` of containerlab. */
let ofNetlab: string;
let ofContainerlab: string;
let labs: Labs;
let parts: Machine;
/** The owner of every lab. */
let owner: string | null;
let whenOwnerIsRead: () => void;
/** Calls of the parts beside the labs. */
let asked: unknown[];

beforeEach(() => {
  ({ machine, ofNetlab, ofContainerlab, labs } = machineOfTwoLabs(root));
  owner = 'otto';
  whenOwnerIsRead = () => undefined;
  asked = [];
  parts = {
    config: { ownership: 'strict', templatesDir: undefined },
    labs,
    jobs: { summaries: (...given: unknown[]) => (asked.push(given), [{ id: 'job-1' }]) },
    owners: {
      ownerOf: () => {
        whenOwnerIsRead();
        return owner;
      },
      sharesOf: () => [],
      give: async (lab: unknown, to: string | null, check: () => void) => {
        check();
        asked.push([lab, to]);
      },
    },
    groups: () => new Groups(),
    quotas: noQuotas,
    leases: {
      expiresAt: (lab: unknown) => (asked.push(lab), 'soon'),
      change: async (...given: unknown[]) => void asked.push(given),
    },
    workspaces: {
      nameOf: (directory: string) => (directory === ofNetlab ? 'course' : null),
      recordOf: () => undefined,
      isTaken: () => false,
    },
  } as unknown as Machine;
});

function labsOf(principal?: Partial<Principal>): UserLabs {
  const access =
    principal && new UserAccess({ ...anybody, revoked: signal, role: 'operator', ...principal }, parts);
  return new UserLabs({ machine: parts, jobs: new UserJobs(parts, access), access });
}
const otto = () => labsOf({ name: 'otto' });
const olga = () => labsOf({ name: 'olga' });
const nick = () => labsOf({ name: 'nick', workdirs: [ofContainerlab] });

describe('a lab', () => {
  test('is that of its own lab CLI, for every user', async () => {
    for (const user of [labsOf(), otto()]) {
      expect((await user.find('one', 'read')).cli).toBe('netlab');
      expect((await user.find('two', 'read')).cli).toBe('containerlab');
    }
  });

  test('of a machine with one lab CLI is looked up without a run', async () => {
    parts = { ...parts, labs: machine.labs().labs };
    expect((await labsOf().find('three', 'change')).cli).toBe('netlab');
    expect(machine.runsOf('netlab')).toEqual([]);
  });

  test('gets another end, and another owner', async () => {
    await (await olga().find('two', 'read')).changeLease({ kind: 'never' });
    await (await labsOf().find('one', 'give')).give('olga');
    expect(asked).toEqual([
      ['two', { kind: 'never' }, { cli: 'containerlab' }],
      [{ directory: ofNetlab, startedAtMs: null }, 'olga'],
    ]);
    await expect(
      labsOf()
        .find('one', 'read')
        .then(async (lab) => lab.give('olga')),
    ).rejects.toThrow('was not looked up');
  });
});

describe('a user', () => {
  test('does not find a lab that is absent or not to be seen, and may not change that of another user', async () => {
    expect((await failureOf(otto().find('three', 'read'))).code).toBe('instance-not-found');
    expect((await failureOf(labsOf().find('three', 'give'))).code).toBe('instance-not-found');
    expect((await failureOf(nick().find('one', 'read'))).code).toBe('instance-not-found');
    expect((await nick().find('two', 'read')).id).toBe('two');
    for (const user of [olga(), nick()]) {
      const { code, message } = await failureOf(user.find('two', 'change'));
      expect([code, message]).toEqual(['forbidden', expect.stringContaining('it belongs to otto')]);
    }
    expect((await otto().find('two', 'change')).id).toBe('two');
  });

  test('who reads a lab does not get into its nodes', async () => {
    const node = (await olga().find('two', 'read')).node('r1');
    expect((await failureOf(node.checkTerminal())).code).toBe('forbidden');
  });

  test('does not hear of other labs when the lab CLI fails', async () => {
    for (const name of ['netlab', 'containerlab'] as const) machine.hook(name, 'echo secret >&2; exit 1');
    for (const answer of [nick().list({ fresh: true }), nick().find('two', 'give')])
      expect(await failureOf(answer)).toMatchObject({
        code: 'lab-cli-failed',
        message: 'the lab CLI could not tell which labs there are',
      });
    expect((await failureOf(olga().list({ fresh: true }))).message).toContain('secret');
  });

  test('sees and changes labs of one lab CLI while the other fails', async () => {
    machine.hook('containerlab', 'exit 1');
    const { value, missingClis } = await otto().list({ fresh: true });
    expect([value.map(({ id }) => id), missingClis]).toEqual([['one'], ['containerlab']]);
    await (await otto().find('one', 'change')).replaceLayout({ nodes: {}, links: {} }, () => undefined);
  });

  test('lists the labs, and the first status document, without the labs that are not to be seen', async () => {
    const ids = async (user: UserLabs) => (await user.list({ fresh: false })).value.map(({ id }) => id);
    expect([await ids(labsOf()), await ids(olga()), await ids(nick())]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
      ['two'],
    ]);
    expect((await nick().status('text', { fresh: false })).body.toString()).toBe(
      'there are no labs that you may see\n',
    );
    expect((await olga().status('json', { fresh: false })).body.toString()).toContain('one');
  });

  test('names directories of their own alone', async () => {
    const codeOf = async (user: UserLabs, directory: string) =>
      (await failureOf(user.templatesIn(path.join(directory, 'none'), 'dir', false))).code;
    expect(await codeOf(nick(), ofNetlab)).toBe('forbidden-path');
    expect(await codeOf(nick(), ofContainerlab)).toBe('directory-not-found');
    expect(await codeOf(labsOf(), ofNetlab)).toBe('directory-not-found');
  });
});

describe('between the look-up and the change', () => {
  test('the lab gets another owner: the layout is refused, and nothing changes', async () => {
    const one = await otto().find('one', 'change');
    owner = 'olga';
    const put = one.replaceLayout({ nodes: {}, links: {} }, () => asked.push('checked'));
    expect((await failureOf(put)).code).toBe('forbidden');
    expect(asked).toEqual([]);
  });

  test('the lab gets another owner while the layout waits for its turn', async () => {
    const one = await otto().find('one', 'change');
    const layout = { nodes: { h1: { x: 1, y: 1 } }, links: {} };
    await one.replaceLayout(layout, () => undefined);
    // After the permission that is asked for at once, and before the one in the turn.
    whenOwnerIsRead = () => queueMicrotask(() => (owner = 'olga'));
    const put = one.replaceLayout({ nodes: {}, links: {} }, () => asked.push('checked'));
    expect((await failureOf(put)).code).toBe('forbidden');
    expect(asked).toEqual([]);
    whenOwnerIsRead = () => undefined;
    owner = 'otto';
    expect(await one.layout()).toEqual(layout);
  });

  test('a lab of another user starts in the directory', async () => {
    const elsewhere = machine.place('labs/elsewhere');
    const two = await nick().find('two', 'read');
    mkdirSync(path.join(ofContainerlab, 'sub'));
    machine.containerlabHas({ two: elsewhere });
    labs.noteChange();
    expect((await failureOf(two.layout())).code).toBe('forbidden');
  });

  test('the lab gets another owner: it is not given away any more', async () => {
    const one = await otto().find('one', 'give');
    owner = 'olga';
    expect((await failureOf(one.give('nick'))).code).toBe('forbidden');
    expect(asked).toEqual([]);
  });

  test('the login ends', async () => {
    const end = new AbortController();
    const one = await labsOf({ name: 'otto', revoked: end.signal }).find('one', 'change');
    end.abort();
    const put = async () => one.replaceLayout({ nodes: {}, links: {} }, () => undefined);
    for (const change of [put, async () => one.node('h1').checkTerminal()])
      expect((await failureOf(change())).code).toBe('unauthorized');
  });
});
