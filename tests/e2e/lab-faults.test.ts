/** Faults over HTTP: the built service with the bundled engine, and real namespaces. */
import { describe, expect } from '@jest/globals';
import path from 'node:path';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freeInstanceNumber, lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs, ringTopology } from '../support/prepared-labs.ts';
import {
  makeGround,
  runProgram,
  startProgram,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });

async function engineService(ground: Ground = makeGround()): Promise<RunningProgram> {
  return startProgram({ ground, env: { LAB_API_CLI: 'engine', LAB_HOME: home } });
}

async function upIn(service: RunningProgram) {
  const id = freeInstanceNumber();
  const where = { home, directory: path.join(root, `faults-${id}`) };
  mkdirSync(where.directory);
  takeDownLater({ where, instance: String(id) });
  const request = { action: 'up', workdir: where.directory, multilabId: id, topology: ringTopology };
  const up = await service.start(request);
  expect(await service.ended(up)).toMatchObject({ state: 'success' });
  const at = `/labs/${id}`;
  const inside = async (node: string, ...command: string[]) =>
    lab(where, ['connect', '--instance', String(id), node, '--', ...command]);
  const isUp = async (node: string, name: string) =>
    (await inside(node, 'ip', '-brief', 'link', 'show', name)).stdout.includes('LOWER_UP');
  return { id: String(id), at, where, inside, isUp };
}

const putTo = async (service: RunningProgram, place: string, body: unknown) =>
  service.request(`${place}/fault`, { method: 'PUT', body });

describe('a fault', () => {
  it(`shows in the lab, its links, its picture and the events, and heals${because}`, async () => {
    const service = await engineService();
    const { at, inside, isUp } = await upIn(service);
    expect((await inside('h1', 'ping', '-c1', '-W2', 'h2')).exitCode).toBe(0);
    const events = new EventReader(await service.open('/events?types=lab'));
    const set = await putTo(service, `${at}/links/h2-r2`, { kind: 'down', ttlSeconds: 600 });
    expect(set).toMatchObject({ status: 200, json: { link: '5', kind: 'down', node: null } });
    expect(await isUp('h2', 'eth1')).toBe(false);
    expect((await inside('h1', 'ping', '-c1', '-W1', 'h2')).exitCode).not.toBe(0);
    expect((await service.get(at)).json).toMatchObject({ faults: [{ link: '5' }] });
    const { links } = (await service.get(`${at}/links`)).json as { links: { id: string; state: string }[] };
    expect(links.filter(({ state }) => state === 'down').map(({ id }) => id)).toEqual(['5']);
    expect((await service.get(`${at}/topology.svg?state=true`)).text).toContain('<path class="link fault"');
    expect((await service.get(`${at}/topology.svg`)).text).not.toContain('<path class="link fault"');

    expect(await service.request(`${at}/links/5/fault`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    const changes: unknown[] = [];
    while (changes.at(-1) !== 'fault-healed') changes.push((await events.next())?.data['change']);
    expect(changes).toContain('fault-set');
    await eventually('the link is back', async () => isUp('h2', 'eth1'));
    await eventually(
      'h1 reaches h2',
      async () => (await inside('h1', 'ping', '-c1', '-W1', 'h2')).exitCode === 0,
    );
  });

  it(`is set, listed and healed by the command line, which says what it was${because}`, async () => {
    const service = await engineService();
    const { id } = await upIn(service);
    const fault = async (...words: string[]) => {
      const run = runProgram(['fault', ...words], { PATH: process.env['PATH'], LAB_API_URL: service.url });
      return [await run.exit, run.output()];
    };
    expect(await fault('heal', id)).toEqual([0, 'there was nothing to heal\n']);
    await fault('set', id, 'down', 'h2-r2', '--node', 'r2');
    await fault('set', id, 'isolated', 'r3');
    expect(await fault('heal', id, '--link', 'h2-r2')).toEqual([0, 'link 5 at r2 healed: it was down\n']);
    expect(await fault('heal', id, '--link', 'h2-r2')).toEqual([0, 'there was nothing to heal\n']);
    expect(await fault('heal', id)).toEqual([0, 'node r3 healed: it was isolated\n']);
  });

  it(`is refused with a sentence, and ends with the lab${because}`, async () => {
    const service = await engineService();
    const { at, id, where } = await upIn(service);
    const refused = [
      ['links/9', { kind: 'down' }, 404, 'link-not-found'],
      ['links/1', { kind: 'isolated' }, 400, 'invalid-request'],
      ['links/1', { kind: 'down', node: 'h1' }, 400, 'invalid-request'],
      ['links/1', { kind: 'down', impairment: { delayMs: 1 } }, 400, 'invalid-request'],
      ['links/1', { kind: 'impaired' }, 400, 'invalid-request'],
      ['links/1', { kind: 'impaired', impairment: {} }, 400, 'invalid-request'],
      ['links/1', { kind: 'down', ttlSeconds: 0 }, 400, 'invalid-request'],
      ['links/1', { kind: 'down', ttlSeconds: 1e9 }, 400, 'invalid-request'],
      ['links/1', { kind: 'down', until: 1 }, 400, 'invalid-request'],
      ['nodes/r9', { kind: 'isolated' }, 404, 'node-not-found'],
      ['nodes/r1', { kind: 'killed' }, 400, 'invalid-request'],
      ['nodes/r1', { kind: 'isolated', process: 'bgpd' }, 400, 'invalid-request'],
      ['nodes/r1', { kind: 'paused' }, 422, 'not-supported'],
      ['nodes/r1', { kind: 'killed', process: 'bgpd' }, 422, 'not-supported'],
    ] as const;
    for (const [place, body, status, code] of refused)
      expect({ place, body, reply: await putTo(service, `${at}/${place}`, body) }).toMatchObject({
        reply: { status, json: { code } },
      });
    expect((await putTo(service, '/labs/nothing/links/1', { kind: 'down' })).status).toBe(404);
    expect((await service.get(at)).json).toMatchObject({ faults: [] });

    await putTo(service, `${at}/nodes/r1`, { kind: 'isolated' });
    const down = await service.start({ action: 'down', workdir: where.directory, instance: id });
    expect(await service.ended(down)).toMatchObject({ state: 'success' });
    await eventually('it is forgotten', async () => {
      const { text } = await service.get('/metrics');
      return /^lab_api_lab_faults 0$/m.test(text);
    });
  });
});

it(`a service that is killed at any moment leaves no fault after its time${because}`, async () => {
  const ground = makeGround();
  let service = await engineService(ground);
  const { at, isUp } = await upIn(service);
  for (let round = 0; round < 6; round += 1) {
    const places = [`${at}/links/1`, `${at}/nodes/r3`];
    const kinds = ['down', 'isolated'];
    const asked = places.map(async (place, index) =>
      putTo(service, place, { kind: kinds[index], ttlSeconds: 1 }).catch(() => undefined),
    );
    await delay(round * 120);
    await service.end('SIGKILL');
    await Promise.all(asked);
    service = await engineService(ground);
    await eventually('nothing is broken', async () => {
      const { faults } = (await service.get(at)).json as { faults: unknown[] };
      return faults.length === 0 && (await isUp('r1', 'eth1')) && (await isUp('r3', 'eth1'));
    });
    expect(await Promise.all(['r2', 'r3'].map(async (node) => isUp(node, 'eth2')))).toEqual([true, true]);
  }
});
