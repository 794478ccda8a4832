/** Faults on record, in a lab whose nodes are directories: a program in place of ip(8) sets their interfaces up and down. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { FaultNews } from '../../../src/faults/fault-changes.ts';
import { LabFaults } from '../../../src/faults/lab-faults.ts';
import type { LabTopology } from '../../../src/labs/drivers/topology.ts';
import type { WantedFault } from '../../../src/labs/model/fault.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { writeProgram } from '../../support/programs.ts';
import { sessionHere } from '../../support/session-here.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory: string;
let run: string;
let gone: ReadonlySet<string>;
let isStatusKnown: boolean;
let uptimeMs: number;
let news: FaultNews[];
let faults: LabFaults;

const lab = { id: 'default', cli: 'netlab' };
const none = { ipv4: null, ipv6: null };
const ends = (...nodes: readonly string[]) =>
  nodes.map((end) => {
    const [node = '', name = ''] = end.split(':');
    return { node, interface: name, ...none };
  });
const topology: LabTopology = {
  nodes: ['r1', 'r2'].map((name) => {
    return { name, device: null, role: null, groups: [], loopback: null, interfaces: [] };
  }),
  links: [
    { id: '1', type: 'p2p', prefix: none, endpoints: ends('r1:eth1', 'r2:eth1') },
    { id: '2', type: 'p2p', prefix: none, endpoints: ends('r1:eth2', 'r2:eth2') },
  ],
};

/** Interfaces that are down have a file. `refuse` has nodes and states that they do not take. */
const ip = `cd "$GROUND"
case "$*" in
'-j addr show')
  for name in eth1 eth2; do
    flags='"UP"'; [ -e "$NODE.$name" ] && flags=
    list="\${list:+$list,}{\\"ifname\\":\\"$name\\",\\"flags\\":[$flags],\\"addr_info\\":[]}"
  done
  echo "[$list]" ;;
'link set dev '*)
  cp faults.json then.json 2>/dev/null
  echo "$NODE $4 $5" >>done
  if grep -qsx "$NODE $5" refuse; then echo 'it does not want' >&2; exit 2; fi
  case $5 in down) : >"$NODE.$4" ;; up) rm -f "$NODE.$4" ;; esac ;;
esac`;

function newFaults(): LabFaults {
  return new LabFaults({
    file: path.join(directory, 'faults.json'),
    labs: {
      list: async () => {
        if (!isStatusKnown) throw new AppError('lab-cli-timeout', 'netlab did not answer');
        return Promise.resolve([{ ...lab, directory: '/labs/demo', run }]);
      },
      topologyOf: async () => Promise.resolve(topology),
      inNode: async (_lab, node, use) => {
        if (gone.has(node)) throw new AppError('lab-not-up', `${node} is not up`);
        const env = { PATH: `${directory}:/usr/bin:/bin`, GROUND: directory, NODE: node };
        return use(sessionHere({ node, env }).session);
      },
    },
    tell: (_lab, one) => news.push(one),
    log: new MemoryLogger(),
    uptimeMs: () => uptimeMs,
  });
}

beforeEach(async () => {
  directory = mkdtempSync(path.join(root, 'case-'));
  writeProgram(path.join(directory, 'ip'), ip);
  writeProgram(path.join(directory, 'readlink'), 'echo net:[1]');
  [run, gone, isStatusKnown, uptimeMs, news] = ['1', new Set(), true, 1_000, []];
  faults = newFaults();
  await faults.open();
});

const file = (name: string): string => path.join(directory, name);
const down = (): string[] =>
  ['r1.eth1', 'r1.eth2', 'r2.eth1', 'r2.eth2'].filter((name) => existsSync(file(name)));
const refuse = (what: string): void => writeFileSync(file('refuse'), what);
const onDisk = (name = 'faults.json') =>
  (JSON.parse(readFileSync(file(name), 'utf8')) as { faults: { state: string }[] }).faults;
const change = { user: 'alice', check: () => undefined };
const wanted = (changes: Partial<WantedFault>): WantedFault => {
  const usual = { link: '1', node: null, kind: 'down', process: null, impairment: null } as const;
  return { ...usual, ttlSeconds: undefined, ...changes };
};
const set = async (changes: Partial<WantedFault> = {}) => faults.set(lab, wanted(changes), change);
const isolate = async (node: string) => set({ link: null, node, kind: 'isolated' });
const heal = async (link: string | null, node: string | null = null) =>
  faults.heal(lab, { link, node }, change);
const told = () => news.map((one) => ('why' in one ? `${one.fault.link ?? ''} ${one.why}` : 'set'));

describe('a fault', () => {
  test('is on disk before anything happens, and set on disk after', async () => {
    expect(await set({ ttlSeconds: 60 })).toMatchObject({ link: '1', kind: 'down', user: 'alice' });
    expect(onDisk('then.json')).toMatchObject([{ state: 'setting' }]);
    expect(onDisk()).toMatchObject([{ state: 'set', endsAtMs: 61_000 }]);
    expect(down()).toEqual(['r1.eth1', 'r2.eth1']);
    await heal('1');
    expect(down()).toEqual([]);
    expect(onDisk()).toEqual([]);
    expect(faults.of(lab)).toEqual([]);
    expect(told()).toEqual(['set', '1 alice healed it']);
  });

  test('that a node does not take is undone in the others', async () => {
    refuse('r2 down');
    expect(await failureOf(set())).toMatchObject({ code: 'lab-cli-failed' });
    expect(down()).toEqual([]);
    expect(onDisk()).toEqual([]);
    expect(told()).toEqual([]);
  });

  test('that cannot be written down is not set', async () => {
    mkdirSync(file('faults.json'));
    expect(await failureOf(set())).toMatchObject({ code: 'storage-fault' });
    expect(down()).toEqual([]);
    expect(faults.of(lab)).toEqual([]);
  });

  test('of a user who may not change the lab any more is not set', async () => {
    const check = (): void => {
      throw new AppError('unauthorized', 'the login has ended');
    };
    expect(await failureOf(faults.set(lab, wanted({}), { user: 'alice', check }))).toMatchObject({
      code: 'unauthorized',
    });
    expect(down()).toEqual([]);
  });

  test('that is asked for again gets another end, and is set where it was undone by hand', async () => {
    await set({ ttlSeconds: 60 });
    rmSync(file('r1.eth1'));
    expect(await set({ ttlSeconds: 9 })).toMatchObject({ expiresAt: expect.any(String) });
    expect(down()).toEqual(['r1.eth1', 'r2.eth1']);
    expect(onDisk()).toMatchObject([{ endsAtMs: 10_000 }]);
    await heal('1');
    expect(down()).toEqual([]);
  });

  test('that is refused leaves the one that is there', async () => {
    await set({ node: 'r1' });
    refuse('r2 down');
    expect(await failureOf(set())).toMatchObject({ code: 'lab-cli-failed' });
    expect(down()).toEqual(['r1.eth1']);
    expect(faults.of(lab)).toMatchObject([{ node: 'r1' }]);
    await heal('1');
    expect(down()).toEqual([]);
  });

  test('of an earlier start of the lab is forgotten first', async () => {
    await set();
    for (const name of down()) rmSync(file(name));
    run = '2';
    await set({ node: 'r1' });
    expect(faults.of(lab)).toHaveLength(1);
    await heal('1');
    expect(down()).toEqual([]);
  });

  test('takes the place of another one, which lets go of the rest', async () => {
    await set();
    await set({ node: 'r1' });
    expect(down()).toEqual(['r1.eth1']);
    expect(faults.of(lab)).toMatchObject([{ node: 'r1' }]);
    await heal('1');
    expect(down()).toEqual([]);
  });

  test('that two users ask for at once is set once', async () => {
    await Promise.all([set(), set(), isolate('r1')]);
    expect(onDisk()).toHaveLength(2);
    await faults.heal(lab, undefined, change);
    expect(down()).toEqual([]);
    expect(onDisk()).toEqual([]);
  });
});

test('an interface that two faults hold comes back with the last of them, in either order', async () => {
  await set();
  await isolate('r1');
  await heal('1');
  expect(down()).toEqual(['r1.eth1', 'r1.eth2']);
  await heal(null, 'r1');
  expect(down()).toEqual([]);
  await isolate('r1');
  await set();
  await heal(null, 'r1');
  expect(down()).toEqual(['r1.eth1', 'r2.eth1']);
  await heal('1');
  expect(down()).toEqual([]);
});

test('an interface that was down before stays down', async () => {
  writeFileSync(file('r1.eth1'), '');
  await set();
  await heal('1');
  expect(down()).toEqual(['r1.eth1']);
});

describe('the end of a fault', () => {
  test('comes with its time, not before', async () => {
    faults.start();
    await set({ ttlSeconds: 10 });
    uptimeMs = 10_999;
    await faults.look();
    expect(down()).toHaveLength(2);
    uptimeMs = 11_000;
    await faults.look();
    expect(down()).toEqual([]);
    expect(told()).toEqual(['set', '1 its time is over']);
    await faults.stop();
  });

  test('that a node keeps off is tried again; a node that is gone needs none', async () => {
    faults.start();
    await set({ ttlSeconds: 10 });
    refuse('r2 up');
    uptimeMs = 11_000;
    await faults.look();
    expect(down()).toEqual(['r2.eth1']);
    expect(faults.of(lab)).toHaveLength(1);
    expect(await failureOf(heal('1'))).toMatchObject({ code: 'lab-cli-failed' });
    gone = new Set(['r2']);
    await faults.look();
    expect(faults.of(lab)).toEqual([]);
    await faults.stop();
  });

  test('of one that could be neither set nor undone comes as soon as it can', async () => {
    faults.start();
    refuse('r1 up\nr2 down');
    await failureOf(set());
    expect(down()).toEqual(['r1.eth1']);
    expect(faults.of(lab)).toMatchObject([{ link: '1' }]);
    refuse('');
    await faults.look();
    expect(down()).toEqual([]);
    expect(onDisk()).toEqual([]);
    await faults.stop();
  });

  test('for all: one that fails does not keep the others', async () => {
    await set();
    await set({ link: '2', node: 'r1' });
    refuse('r2 up');
    expect(await failureOf(faults.heal(lab, undefined, change))).toMatchObject({ code: 'lab-cli-failed' });
    expect(down()).toEqual(['r2.eth1']);
    expect(faults.of(lab)).toMatchObject([{ link: '1' }]);
  });

  test.each([
    ['9', null, 'link-not-found'],
    [null, 'r9', 'node-not-found'],
  ])('of link %s, node %s is refused: %s', async (link, node, code) => {
    expect(await failureOf(heal(link, node))).toMatchObject({ code });
  });

  test('does not touch a lab that was started anew', async () => {
    await set();
    run = '2';
    await heal('1');
    expect(down()).toHaveLength(2);
    expect(onDisk()).toEqual([]);
    expect(told()).toEqual(['set', '1 the lab was stopped']);
  });

  test('waits as long as the status is unknown', async () => {
    faults.start();
    await set({ ttlSeconds: 10 });
    isStatusKnown = false;
    uptimeMs = 11_000;
    await faults.look();
    expect(faults.of(lab)).toHaveLength(1);
    await faults.stop();
  });
});

describe('a later service', () => {
  test('heals what was half set, and keeps the end of the rest', async () => {
    await set({ ttlSeconds: 10 });
    await set({ link: '2' });
    const rest = file('faults.json');
    copyFileSync(file('then.json'), rest);
    expect(onDisk().map(({ state }) => state)).toEqual(['set', 'setting']);
    const later = newFaults();
    await later.open();
    later.start();
    await eventually('the half set fault is healed', () => down().length === 2 && later.of(lab).length === 1);
    expect(later.of(lab)).toMatchObject([{ link: '1' }]);
    uptimeMs = 11_000;
    await later.look();
    expect(down()).toEqual([]);
    await later.stop();
  });

  test('starts without faults when their file is damaged', async () => {
    writeFileSync(file('faults.json'), '{"faults": [{}]}');
    const later = newFaults();
    await later.open();
    expect(later.of(lab)).toEqual([]);
  });
});

describe('a job in the directory of the lab', () => {
  const job = { state: 'success', workdir: '/labs/demo', action: 'restart-nodes' } as const;

  test('that made nodes anew has the fault set again', async () => {
    await set();
    rmSync(file('r1.eth1'));
    faults.noteJob(job);
    await eventually('it is set again', () => down().length === 2);
    await heal('1');
    expect(down()).toEqual([]);
  });

  test('after which it cannot be set again has it healed', async () => {
    await set();
    rmSync(file('r1.eth1'));
    refuse('r1 down');
    faults.noteJob(job);
    await eventually('it is healed', () => faults.of(lab).length === 0);
    expect(down()).toEqual([]);
    expect(told().at(-1)).toMatch(/^1 it could not be set again: ip failed on r1/);
  });

  test('that took the lab away has it forgotten', async () => {
    await set();
    run = '2';
    faults.noteJob(job);
    await eventually('it is forgotten', () => faults.of(lab).length === 0);
    expect(down()).toHaveLength(2);
  });
});
