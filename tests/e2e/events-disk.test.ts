/** GET /events of the built service on a disk that gets full. */
import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { PrivateDisk, privateDiskMissing } from '../support/private-disk.ts';
import type { Client } from '../support/client.ts';
import { topologyThat } from '../support/service.ts';

async function follow(client: Client, after = ''): Promise<EventReader> {
  return new EventReader(await client.open(`/events?types=job&after=${after}`));
}

/** By job, its state in every event up to the ends of these jobs, and the id of the last event. */
async function untilEnds(
  reader: EventReader,
  ids: readonly string[],
): Promise<{ states: Map<string, string[]>; lastId: string }> {
  const states = new Map<string, string[]>();
  const waiting = new Set(ids);
  for (;;) {
    const event = await reader.next();
    if (!event) throw new Error('the stream ended');
    if (event.event !== 'job' || event.id === undefined) continue;
    const { id, state, finishedAt } = event.data.job;
    states.set(id, [...(states.get(id) ?? []), state]);
    if (finishedAt !== null) waiting.delete(id);
    if (waiting.size === 0) return { states, lastId: event.id };
  }
}

(privateDiskMissing === undefined ? describe : describe.skip)(
  `a full disk${privateDiskMissing === undefined ? '' : ` (${privateDiskMissing})`}`,
  () => {
    test('costs clients no event, and those that come back after a restart begin anew or go on', async () => {
      const disk = await PrivateDisk.make();
      const { ground } = disk;
      const service = await disk.startProgram();
      const reader = await follow(service);
      const before = String((await reader.until('ready')).at(-1)?.id);
      const workdir = ground.makeWorkdir('full');
      const start = async (command: string, directory = workdir) =>
        service.start({ action: 'create', workdir: directory, topology: topologyThat(command) });
      // Their ends take more than what is left of the last block of the journal.
      const ids: string[] = [];
      for (let number = 0; number < 8; number += 1)
        ids.push(await start('wait_for events-disk; exit 9', ground.makeWorkdir(`full-${number}`)));
      for (const id of ids) await service.reach(id, 'running');
      disk.fill();
      ground.let('events-disk');
      const told = await untilEnds(reader, ids);
      for (const id of ids) expect(told.states.get(id)).toEqual(['queued', 'running', 'failed']);
      disk.makeRoom();
      await eventually(
        'the service takes jobs again',
        async () => (await service.get('/readyz')).status === 200,
      );
      // Whatever comes next is written again, at most two seconds after the disk refused.
      const names = (): string[] => readdirSync(disk.outside('events'));
      await eventually('a new journal', async () => {
        const one = await start('exit 9');
        await service.ended(one);
        await service.request(`/jobs/${one}`, { method: 'DELETE' });
        return names().every((name) => !before.startsWith(name.slice(0, 8)));
      });
      const last = await start('exit 9');
      const { lastId } = await untilEnds(reader, [last]);
      await service.end('SIGKILL');
      const second = await disk.startProgram();
      const next = await second.start({ action: 'create', workdir, topology: topologyThat('exit 9') });
      const anew = await follow(second, before);
      expect((await anew.next())?.data).toEqual({ reason: 'other-feed' });
      const resumed = await untilEnds(await follow(second, lastId), [next]);
      expect(resumed.states.get(next)).toEqual(['queued', 'running', 'failed']);
      await second.end();
    });
  },
);
