/** Which of two lab CLIs a request is for. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { chooseCli, labsNamed } from '../../../src/labs/choose-cli.ts';
import { failureOf } from '../../support/failure-of.ts';
import { MachineOfLabs } from '../../support/machine-of-labs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let machine: MachineOfLabs;
/** With the lab `one` of netlab, and `two` of containerlab. */
let [ofNetlab, ofContainerlab] = ['', ''];

beforeEach(() => {
  machine = new MachineOfLabs(root);
  [ofNetlab, ofContainerlab] = [machine.place('labs/one'), machine.place('labs/two')];
  machine.netlabHas({ one: ofNetlab });
  machine.containerlabHas({ two: ofContainerlab });
});

type Request = Parameters<typeof chooseCli>[1];
type Reach = Parameters<typeof chooseCli>[2];

async function choose(
  request: Partial<Request>,
  reach: Partial<Reach> = {},
  isAlone = false,
): Promise<string> {
  const { members } = machine.labs({ moreClis: isAlone ? [] : ['containerlab'] }).labs;
  const chosen = await chooseCli(
    members,
    { action: 'down', options: {}, ...request },
    {
      roots: { allows: () => true },
      mayKnow: () => true,
      serverDirectory: machine.directory,
      workspaces: { pathOf: (name) => machine.at(name) },
      findStart: async () => undefined,
      cliOf: ({ cli }) => members.find(({ name }) => name === cli),
      ...reach,
    },
  );
  return chosen.name;
}

describe('it is for', () => {
  test('the one that has the lab in its directory, or the lab that it names', async () => {
    expect(await choose({ workdir: ofNetlab })).toBe('netlab');
    expect(await choose({ workdir: 'labs/two' })).toBe('containerlab');
    expect(await choose({ workspace: 'labs/two' })).toBe('containerlab');
    expect(await choose({ options: { instance: 'two' } })).toBe('containerlab');
    // It names another lab than that of the directory.
    expect(await choose({ workdir: ofNetlab, options: { instance: 'two' } })).toBe('containerlab');
  });

  test('the first, where there is no lab', async () => {
    expect(await choose({})).toBe('netlab');
    expect(await choose({ options: { instance: 'three' } })).toBe('netlab');
    expect(machine.runsOf('containerlab')).toHaveLength(2);
  });

  test('the one that the last start on record was for, where no status lists a lab', async () => {
    const workdir = machine.place('killed');
    const start = { cli: 'containerlab', workdir, instance: 'three', command: [], mayBeUnlisted: true };
    const asked: unknown[] = [];
    const findStart = async (lab: object) => {
      asked.push(lab);
      return start;
    };
    expect(await choose({ workdir }, { findStart })).toBe('containerlab');
    expect(await choose({ options: { instance: 'three' } }, { findStart })).toBe('containerlab');
    expect(asked).toEqual([{ workdir }, { instance: 'three' }]);
    expect(await choose({ workdir, cli: 'netlab' }, { findStart })).toBe('netlab');
    // A topology may be for any of them, and a status is about all labs.
    expect(await choose({ action: 'up', workdir }, { findStart })).toBe('netlab');
    expect(await choose({ action: 'status', workdir }, { findStart })).toBe('netlab');
    expect(await choose({ workdir: ofNetlab }, { findStart })).toBe('netlab');
    expect(asked).toHaveLength(2);
    // Of another user, and of a lab CLI that the service has no more.
    expect(await choose({ workdir }, { findStart, mayKnow: () => false })).toBe('netlab');
    expect(await choose({ workdir }, { findStart: async () => ({ ...start, cli: 'engine' }) })).toBe(
      'netlab',
    );
  });

  test('the one whose topologies are called like that which it names', async () => {
    const up = { action: 'up', workdir: machine.place('new') } as const;
    expect(await choose({ ...up, topologyPath: 'x.clab.yml' })).toBe('containerlab');
    expect(await choose({ ...up, topologyPath: 'x.yml' })).toBe('netlab');
    // A lab that is there counts more.
    expect(await choose({ ...up, workdir: ofNetlab, topologyPath: 'x.clab.yml' })).toBe('netlab');
  });

  test("the one that it asks for, where no lab is another one's", async () => {
    expect(await choose({ cli: 'containerlab', workdir: machine.place('new') })).toBe('containerlab');
    expect(await choose({ cli: 'containerlab', workdir: ofContainerlab })).toBe('containerlab');
    // netlab has a record of its labs, and none of them is there.
    expect([...machine.runsOf('netlab'), ...machine.runsOf('containerlab')]).toEqual([]);
    // It changes nothing of the lab that is there.
    expect(await choose({ action: 'create', cli: 'containerlab', workdir: ofNetlab })).toBe('containerlab');
  });

  test('the only one, without a look at any lab', async () => {
    expect(await choose({ workdir: ofNetlab }, {}, true)).toBe('netlab');
    expect(machine.runsOf('netlab')).toEqual([]);
    expect(await failureOf(choose({ cli: 'containerlab' }, {}, true))).toMatchObject({
      errors: [{ field: 'cli' }],
    });
  });

  test('the first, without a look, when it is about no lab', async () => {
    expect(await choose({ action: 'status', workdir: ofContainerlab })).toBe('netlab');
    expect([...machine.runsOf('netlab'), ...machine.runsOf('containerlab')]).toEqual([]);
    expect(await choose({ action: 'status', options: { instance: 'two' } })).toBe('containerlab');
  });

  test('the one that started the lab by way of another', async () => {
    machine.containerlabRuns('two', ofContainerlab);
    expect(await choose({ workdir: ofContainerlab })).toBe('netlab');
    expect(await choose({ options: { instance: 'two' } })).toBe('netlab');
  });
});

describe('it is refused', () => {
  test('for a lab CLI that the service has not', async () => {
    const { members } = machine.labs({ moreClis: ['containerlab'] }).labs;
    expect(labsNamed(members, 'containerlab')).toBe(members[1]);
    expect(() => labsNamed(members, 'engine')).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        message: 'cli: "engine" is no lab CLI of this server: use one of "netlab", "containerlab"',
        errors: [{ field: 'cli', message: expect.any(String) }],
      }),
    );
    await expect(chooseCli([], { action: 'down', options: {} }, {} as unknown as Reach)).rejects.toThrow(
      'there is no lab CLI',
    );
  });

  test('when the lab is of another one, which is named', async () => {
    const down = await failureOf(choose({ cli: 'containerlab', workdir: ofNetlab }));
    expect(down.code).toBe('conflict');
    expect(down.message).toBe(
      `the lab "one" in ${ofNetlab} is one of netlab, and the request is for containerlab: send "cli": "netlab", or leave "cli" out`,
    );
    const up = await failureOf(choose({ action: 'up', cli: 'containerlab', workdir: ofNetlab }));
    expect(up.message).toContain('a directory has one lab at a time: take it down (with "cli": "netlab")');
    const replacing = { action: 'up', cli: 'containerlab', workdir: ofNetlab, replace: true } as const;
    expect(await choose(replacing)).toBe('containerlab');
  });

  test('but for the lab of another one that it must not know of, or that it may not use', async () => {
    const request = { cli: 'containerlab', workdir: ofNetlab };
    expect(await choose(request, { roots: { allows: () => false } })).toBe('containerlab');
    expect(await choose(request, { mayKnow: () => false })).toBe('containerlab');
    expect(await choose({ workdir: ofContainerlab }, { mayKnow: () => false })).toBe('netlab');
  });

  test('when both have a lab in its directory, and it names neither', async () => {
    machine.containerlabHas({ two: ofNetlab });
    const { code, message } = await failureOf(choose({ workdir: ofNetlab }));
    expect(code).toBe('invalid-request');
    expect(message).toBe(`cli: is required: there are labs of "netlab", "containerlab" in ${ofNetlab}`);
    expect(await choose({ workdir: ofNetlab, cli: 'containerlab' })).toBe('containerlab');
    machine.containerlabHas({ one: ofContainerlab });
    expect(await choose({ options: { instance: 'one' } })).toBe('netlab');
  });

  test('for a lab that another one shows under another id', async () => {
    machine.containerlabRuns('ml-one', ofNetlab);
    const request = { options: { instance: 'ml-one' } };
    const { code, message } = await failureOf(choose(request));
    expect(code).toBe('conflict');
    expect(message).toBe(
      'the lab "ml-one" of containerlab was started by netlab, which calls it "one": send "cli": "netlab" and "instance": "one"',
    );
    expect(await choose(request, { roots: { allows: () => false } })).toBe('netlab');
    expect(await choose({ ...request, action: 'up' })).toBe('netlab');
  });
});

test('one that cannot tell its labs keeps nobody from those of the other', async () => {
  machine.hook('containerlab', 'exit 1');
  expect(await choose({ workdir: ofNetlab })).toBe('netlab');
  expect(await choose({ workdir: ofContainerlab })).toBe('netlab');
});
