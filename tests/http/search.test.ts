/** `GET /search`, with what a real netlab printed of its labs. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { People } from '../support/people.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

const ground = makeGround();
const [mine, foreign] = [ground.makeWorkdir('mine'), ground.makeWorkdir('foreign')];
const people = new People({
  ann: { role: 'admin' },
  nick: { role: 'operator', workdirs: [mine] },
  vic: { role: 'viewer', workdirs: [mine] },
});
const [ann, nick, vic] = [people.as('ann'), people.as('nick'), people.as('vic')];
let service: RunningService;

const snapshotIn = (workdir: string): string => path.join(workdir, 'netlab.snapshot.pickle');
const inspections = (): number => ground.runs('inspect').length;

/** A lab of netlab with one router of BGP. */
const withBgp = JSON.stringify({
  nodes: {
    R9: {
      id: 1,
      device: 'frr',
      module: ['bgp'],
      bgp: { as: 65_001 },
      loopback: { ipv4: '10.0.0.9/32', ipv6: '2001:DB8:0::9/128' },
      interfaces: [],
    },
  },
  links: [],
});

async function up(workdir: string, multilabId: number): Promise<void> {
  const id = await service.start({ action: 'up', workdir, topology: topologyThat(), multilabId }, ann);
  expect((await service.request(`/jobs/${id}?wait=30`, { headers: ann })).json).toMatchObject({
    state: 'success',
  });
}

beforeAll(async () => {
  service = await startService({ ground, admit: people.admit, env: { LAB_API_STATUS_MAX_AGE: '60s' } });
  await up(mine, 7);
  await up(foreign, 8);
  copyFileSync(path.resolve(__dirname, '../fixtures/netlab/inspect.json'), snapshotIn(mine));
  writeFileSync(snapshotIn(foreign), withBgp);
});

async function search(q: string, headers = ann, more = '') {
  return service.request(`/search?q=${encodeURIComponent(q)}${more}`, { headers });
}

describe('GET /search', () => {
  test('says who has an address, then in which prefix it lies', async () => {
    const { json } = await search('10.1.0.2');
    expect(json).toEqual({
      query: { kind: 'address', value: '10.1.0.2' },
      matches: [
        {
          lab: '7',
          host: null,
          cli: 'netlab',
          match: 'has',
          thing: 'interface',
          node: 'r2',
          interface: 'eth1',
          link: '2',
          value: '10.1.0.2/30',
          endpoints: [],
        },
        {
          lab: '7',
          host: null,
          cli: 'netlab',
          match: 'contains',
          thing: 'link',
          node: null,
          interface: null,
          link: '2',
          value: '10.1.0.0/30',
          endpoints: [
            { node: 'r1', interface: 'eth2' },
            { node: 'r2', interface: 'eth1' },
          ],
        },
      ],
      truncated: false,
      incomplete: [],
    });
  });

  test.each([
    ['2001:db8::9', 'loopback', 'R9'],
    ['as:65001', 'as', 'R9'],
    ['module:bgp', 'module', 'R9'],
  ])('%s is in the other lab', async (q, thing, node) => {
    expect((await search(q)).json.matches).toMatchObject([{ lab: '8', match: 'has', thing, node }]);
  });

  test('has at most as many matches as asked for', async () => {
    const { json } = await search('0.0.0.0/0', ann, '&limit=2');
    expect(json).toMatchObject({ truncated: true, matches: { length: 2 } });
  });

  test('reads each snapshot once, however often it is searched', async () => {
    await search('10.1.0.2');
    const before = inspections();
    await Promise.all(Array.from({ length: 40 }, async (_, n) => search(`10.1.0.${n}`)));
    expect(inspections()).toBe(before);
  });

  test('finds only what the user may see', async () => {
    for (const headers of [nick, vic]) {
      expect((await search('10.1.0.2', headers)).json.matches).toHaveLength(2);
      const { json, text } = await search('0.0.0.0/0', headers);
      expect(json.matches.every(({ lab }: { lab: string }) => lab === '7')).toBe(true);
      expect(text).not.toContain('R9');
      expect((await search('as:65001', headers)).json).toMatchObject({ matches: [], incomplete: [] });
    }
  });

  test('names the labs that could not be read, to those who may see them', async () => {
    rmSync(snapshotIn(foreign));
    const { json } = await search('10.1.0.2');
    expect(json.matches).toHaveLength(2);
    expect(json.incomplete).toEqual([
      { lab: '8', host: null, cli: 'netlab', reason: expect.stringContaining('"up" writes it again') },
    ]);
    expect((await search('10.1.0.2', nick)).json.incomplete).toEqual([]);
    writeFileSync(snapshotIn(foreign), withBgp);
    expect((await search('10.0.0.9')).json).toMatchObject({ matches: [{ node: 'R9' }], incomplete: [] });
  });
});

describe('a query that is none is 400 about q, with what to do', () => {
  test.each([
    ['', 'must not be empty'],
    ['x'.repeat(10_000), 'must not be over 200 characters'],
    ['10.0.0.0/33', 'no prefix length from 0 to 32'],
    ['::/129', 'no prefix length from 0 to 128'],
    ['fe80::1%eth0', 'has a zone: leave out'],
    ['a\u0000\u001b[2J', 'must not have control characters'],
    ['vlan:7', 'there is no search for "vlan:"; give an address (10.1.0.5'],
  ])('%j', async (q, words) => {
    const reply = await search(q);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.detail).toContain(words);
    expect(wrongFields(reply)).toEqual(['q']);
  });

  test.each(['/search', '/search?q=a&q=b'])('%s', async (target) => {
    const reply = await service.request(target, { headers: ann });
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.detail).toBe('q: must be given once');
  });

  test.each(['0', '1001', 'x'])('limit=%s', async (limit) => {
    expectProblem(await search('r1', ann, `&limit=${limit}`), 400, 'invalid-request');
  });
});
