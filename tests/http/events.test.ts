/** GET /events: what happens to jobs and labs, as it happens. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { changesOf, follow, isEnd, isState, until } from '../support/followed-events.ts';
import { scraped } from '../support/scraped.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let count = 0;
async function start(on: RunningService, commands: string, fields: object = {}): Promise<string> {
  const workdir = on.ground.makeWorkdir(`events-${(count += 1)}`);
  return on.start({ action: 'create', workdir, topology: topologyThat(commands), ...fields });
}

describe('a client', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });

  test('gets what there is, and then each change of a job in order, with rising ids', async () => {
    const before = await start(service, 'wait_for events-before');
    await service.ground.waitsFor('events-before');
    const reader = await follow(service);
    const snapshot = await reader.until('ready');
    expect(snapshot[0]).toEqual({ event: 'snapshot', id: undefined, data: {} });
    expect(changesOf(snapshot, before)).toEqual(['current running']);
    expect(snapshot.at(-1)?.data.labsSeenAt).toEqual(expect.any(String));
    const id = await start(service, 'exit 9', { labels: { course: 'bgp' } });
    const events = await until(reader, isEnd(id));
    expect(changesOf(events, id)).toEqual(['created queued', 'state running', 'state failed']);
    expect(events.at(-1)?.data).toMatchObject({
      change: 'state',
      at: events.at(-1)?.data.job.finishedAt,
      job: { id, action: 'create', exitCode: 9, reason: 'exited', labels: { course: 'bgp' } },
    });
    const numbers = events.flatMap((event) => (event.id === undefined ? [] : Number(event.id.split('-')[1])));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    service.ground.let('events-before');
    await until(reader, isEnd(before));
    await service.request(`/jobs/${before}`, { method: 'DELETE' });
    const [removed] = await until(reader, ({ data }) => data.change === 'removed');
    expect(removed?.data.job).toMatchObject({ id: before, state: 'success' });
    reader.close();
  });

  test('sees a cancel, and what the job prints meanwhile', async () => {
    const reader = await follow(service, '?types=job');
    const id = await start(service, 'echo half the way; wait_for events-never');
    const progress = await until(reader, ({ data }) => data.change === 'progress' && data.job.id === id);
    expect(progress.at(-1)).toMatchObject({ id: undefined, data: { message: 'half the way' } });
    await service.post(`/jobs/${id}/cancel`);
    const events = [...progress, ...(await until(reader, isEnd(id)))];
    expect(changesOf(events, id)).toEqual([
      'created queued',
      'state running',
      'state canceling',
      'state canceled',
    ]);
    reader.close();
  });

  test('goes on after the id that it names, in the header or in the query', async () => {
    const reader = await follow(service, '?types=job');
    await reader.until('ready');
    const id = await start(service, 'exit 9');
    const events = await until(reader, isEnd(id));
    const created = events.findIndex(({ data }) => data.change === 'created' && data.job.id === id);
    const lastId = events[created]?.id;
    for (const again of [
      await follow(service, '', lastId),
      await follow(service, `?after=${lastId}`),
      await follow(service, '?after=nothing', lastId),
    ]) {
      const rest = await until(again, isEnd(id));
      expect(changesOf(rest, id)).toEqual(['state running', 'state failed']);
      expect(rest.every(({ event }) => event === 'job' || event === 'lab')).toBe(true);
      again.close();
    }
    reader.close();
  });

  test.each([
    ['nonsense', 'unknown-id'],
    ['abcdef01-5', 'other-feed'],
  ])('with the id %s is told to begin anew: %s', async (lastId, reason) => {
    const reader = await follow(service, '', lastId);
    const events = await reader.until('ready');
    expect(events.slice(0, 2)).toMatchObject([
      { event: 'reset', id: undefined, data: { reason } },
      { event: 'snapshot' },
    ]);
    reader.close();
  });

  test('gets what its filters let through', async () => {
    const labels = { team: 'red' };
    const byLabel = await follow(service, '?types=job&label=team=red');
    const byState = await follow(service, '?types=job&state=failed&state=success');
    const byWorkdir = await follow(service, `?workdir=${service.ground.workdir}`);
    const ofService = await follow(service, '?types=service');
    for (const reader of [byLabel, byState, byWorkdir, ofService]) await reader.until('ready');
    const other = await start(service, 'exit 9');
    await service.ended(other);
    const id = await start(service, 'exit 9', { labels });
    expect(changesOf(await until(byLabel, isEnd(id)), id)).toHaveLength(3);
    const ends = await until(byState, isEnd(id));
    expect(ends.map(({ data }) => data.job.id)).toEqual([other, id]);
    const { workdir } = service.ground;
    const inThere = await service.start({ action: 'create', workdir, topology: topologyThat('exit 9') });
    const seen = await until(byWorkdir, isEnd(inThere));
    expect(new Set(seen.map(({ data }) => data.job.id))).toEqual(new Set([inThere]));
    for (const reader of [byLabel, byState, byWorkdir, ofService]) reader.close();
  });

  test('of a workspace hears of its labs, and of no others', async () => {
    const ofWorkspace = await follow(service, '?types=lab&workspace=course');
    await ofWorkspace.until('ready');
    const up = { action: 'up', topology: topologyThat() };
    const other = { ...up, workdir: service.ground.makeWorkdir('elsewhere'), multilabId: 41 };
    await service.ended(await service.start(other));
    await service.ended(await service.start({ ...up, workspace: 'course', multilabId: 42 }));
    await service.get('/labs');
    const [seen] = await until(ofWorkspace, ({ event }) => event === 'lab');
    expect(seen?.data).toMatchObject({ change: 'appeared', lab: { instance: '42' } });
    ofWorkspace.close();
    const later = await follow(service, '?types=lab&workspace=course');
    const known = (await later.until('ready')).filter(({ event }) => event === 'lab');
    expect(known.map(({ data }) => data.lab.instance)).toEqual(['42']);
    later.close();
  });

  test.each(['?types=jobs', '?state=done', '?foo=1', '?label==x'])('is refused %s', async (query) => {
    expect(await service.get(`/events${query}`)).toMatchObject({ status: 400 });
  });

  test('is counted until it goes', async () => {
    const clients = async (): Promise<number> =>
      Number(await scraped(service, 'lab_api_stream_clients', { kind: 'events' }));
    await eventually('nobody to be there', async () => (await clients()) === 0);
    const reader = await follow(service);
    expect(await clients()).toBe(1);
    reader.close();
    await eventually('nobody to be there again', async () => (await clients()) === 0);
  });

  test('may ask for the head', async () => {
    const reply = await service.request('/events', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 200, text: '' });
  });
});

describe('after a restart', () => {
  test('a client goes on where it was, and hears of the stop and the start', async () => {
    const first = await startService();
    const { ground } = first;
    const id = await start(first, 'wait_for restart-1; exit 9');
    await ground.waitsFor('restart-1');
    const reader = await follow(first, '?types=job,service');
    const known = await reader.until('ready');
    expect(changesOf(known, id)).toEqual(['current running']);
    await first.stop();
    const stopping = await reader.next();
    expect(stopping).toMatchObject({ event: 'service', data: { change: 'stopping' } });
    expect(await reader.next()).toBeUndefined();
    ground.let('restart-1');
    const second = await startService({ ground });
    const resumed = await follow(second, '?types=job,service', known.at(-1)?.id);
    const events = await until(resumed, isState(id, 'failed'));
    expect(events.map(({ event, data }) => [event, data.change])).toEqual([
      ['service', 'stopping'],
      ['service', 'started'],
      ['job', 'state'],
    ]);
    resumed.close();
  });
});
