/** GET /audit and /audit/export: who reads the audit, and how. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { People } from '../support/people.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

type Entry = Readonly<Record<string, unknown>>;

const people = new People({ ann: { role: 'admin' }, bob: { role: 'operator' } });
const ground = makeGround();
const file = path.join(ground.root, 'audit.jsonl');
/** A line of an earlier time that the tests add by themselves. */
const lineOf = (fields: Entry): string =>
  `${JSON.stringify({ time: '2026-01-31T12:00:00.000Z', event: 'request', requestId: 'x', ...fields })}\n`;

let service: RunningService;
beforeAll(async () => {
  writeFileSync(
    file,
    lineOf({ user: 'old', path: '=cmd|x', file: 'a "b",\nc', node: '＝x', workdir: 'a;"=1"' }),
  );
  const env = { LAB_API_AUDIT_FILE: file };
  service = await startService({ ground, env, admit: people.admit, client: { headers: people.as('ann') } });
});

const entriesOf = async (query = ''): Promise<Entry[]> => (await service.get(`/audit${query}`)).json.entries;

async function untilThere(query: string): Promise<Entry> {
  return eventually(`an entry of ${query}`, async () => (await entriesOf(query))[0]);
}

/** The descriptors of this process that have the file open. */
const openings = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    const name = path.join('/proc/self/fd', fd);
    return existsSync(name) && readlinkSync(name) === file;
  }).length;

describe('GET /audit', () => {
  test('has what users did and what was refused, by filters', async () => {
    const { workdir } = ground;
    await service.ended(await service.start({ action: 'create', workdir, topology: topologyThat(':') }));
    await service.request('/jobs/none', { method: 'DELETE', headers: people.as('bob') });
    expect(await untilThere('?action=create')).toMatchObject({
      event: 'request',
      user: 'ann',
      operation: 'submitJob',
      status: 202,
      address: expect.stringContaining('127.0.0.1'),
    });
    expect(await untilThere('?refused=true')).toMatchObject({ user: 'bob', error: 'job-not-found' });
    expect(await entriesOf('?user=bob')).toMatchObject([{ operation: 'removeJob' }]);
    expect(await entriesOf('?user=bob&refused=false')).toEqual([]);
    expect(await entriesOf('?user=bob&since=1h&until=2099-01-01')).toHaveLength(1);
    expect(await entriesOf('?lab=default&action=submitJob')).toHaveLength(1);
    expect(await entriesOf('?until=2026-02-01')).toMatchObject([{ user: 'old' }]);
  });

  test('goes on with its cursor', async () => {
    const first = (await service.get('/audit?limit=1')).json;
    expect(first).toMatchObject({ entries: [first.entries[0]], lookedBackTo: first.entries[0].time });
    const second = (await service.get(`/audit?cursor=${first.nextCursor}`)).json;
    expect(second).toMatchObject({ nextCursor: null, lookedBackTo: '2026-01-31T12:00:00.000Z' });
    const all = (await service.get('/audit')).json.entries;
    expect([...first.entries, ...second.entries]).toEqual(all);
  });

  test.each([
    ['cursor=../../etc/passwd', 'cursor'],
    ['cursor=999999999-0123456789abcdef', 'cursor'],
    ['limit=501', 'limit'],
    ['since=yesterday', 'since'],
    ['refused=yes', 'refused'],
    ['usr=ann', 'usr'],
    ['action=bogus', 'action'],
    ['action=up&action=down', 'action'],
  ])('refuses ?%s', async (query, field) => {
    const reply = await service.get(`/audit?${query}`);
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual([field]);
  });

  test('says which operation was probably meant', async () => {
    for (const target of ['/audit', '/audit/export'])
      expect((await service.get(`${target}?action=removejob`)).json['detail']).toBe(
        'action: is neither an action nor an operationId; did you mean "removeJob"?',
      );
  });

  test('is for administrators, and the refusal of others is in it', async () => {
    for (const target of ['/audit', '/audit/export'])
      expectProblem(await service.get(target, people.as('bob')), 403, 'forbidden');
    expect(await untilThere('?user=bob&action=exportAudit')).toMatchObject({
      error: 'forbidden',
      status: 403,
    });
  });
});

describe('GET /audit/export', () => {
  test('gives JSON Lines with all fields', async () => {
    const reply = await service.get('/audit/export?user=old');
    expect(reply.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': expect.stringContaining('audit.jsonl'),
    });
    expect(
      reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry),
    ).toEqual(await entriesOf('?user=old'));
  });

  test('gives CSV that is no formula, one line for each', async () => {
    const reply = await service.get('/audit/export?format=csv&user=old');
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names, values, ...rest] = reply.text.split('\r\n');
    expect(names).toMatch(/^time,event,user,.*,requestId$/);
    expect(values).toBe(
      `2026-01-31T12:00:00.000Z,request,old,,,,,,,,,'＝x,,,${String.raw`"a ""b"",\u000ac"`},,,,,,"a;'""=1""",,'=cmd|x,,,,,,x`,
    );
    expect(rest).toEqual(['']);
  });

  test('waits for a slow client, and ends with it', async () => {
    appendFileSync(file, lineOf({ user: 'many', path: `/${'x'.repeat(299)}` }).repeat(100_000));
    const before = openings();
    const stream = await service.open('/audit/export?user=many');
    expect(openings()).toBe(before + 1);
    stream.destroy();
    await eventually('the file to be closed', () => openings() === before);
    expect((await service.get('/audit/export?user=many')).text.split('\n')).toHaveLength(100_001);
  });
});

test('without a file, the setting is named', async () => {
  const plain = await startService();
  for (const target of ['/audit', '/audit/export']) {
    const reply = await plain.get(target);
    expectProblem(reply, 422, 'not-supported');
    expect(reply.json.detail).toContain('LAB_API_AUDIT_FILE');
  }
});

test('a file that was moved away is an error until there is a new one', async () => {
  const moved = await startService({ env: { LAB_API_AUDIT_FILE: path.join(ground.root, 'away.jsonl') } });
  rmSync(path.join(ground.root, 'away.jsonl'));
  for (const target of ['/audit', '/audit/export'])
    expectProblem(await moved.get(target), 503, 'storage-fault');
});
