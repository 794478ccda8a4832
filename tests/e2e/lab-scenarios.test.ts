/** Scenarios over HTTP: the built service with the bundled engine, and real namespaces. */
import { describe, expect } from '@jest/globals';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lab } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { entriesOf, scenarioLabs } from '../support/scenario-labs.ts';
import { makeGround, type RunningProgram } from '../support/service.ts';

const { because, it, root, engineService, upIn } = scenarioLabs();

const flows = [{ from: 'h1', to: 'h2' }];
const steady = { for: '300ms', within: '20s' };
/** The fault stays until the scenario is ended. */
const lasting = { flows, steady, faults: [{ link: 'r1-r2' }], hold: '10m' };

const isBroken = async (service: RunningProgram, instance: string) =>
  eventually('a link is broken', async () => {
    const { faults } = (await service.get(`/labs/${instance}`)).json as { faults: unknown[] };
    return faults.length > 0;
  });

describe('a scenario', () => {
  it(`tells which failures cut the traffic, and leaves nothing${because}`, async () => {
    const service = await engineService();
    const { instance, where, expectNothingLeft } = await upIn(service);
    const text = `title: Which link is needed?\nflows: [{from: h1, to: h2, family: ipv4}]\nsteady: {for: 300ms}
each: {of: link}\nexpect: {outage: 200ms}\nhold: 1s\n`;
    writeFileSync(path.join(where.directory, 'scenario.yml'), text);
    const id = await service.start({ action: 'scenario', instance, scenarioPath: 'scenario.yml' });
    const job = await service.ended(id);
    expect(job).toMatchObject({
      state: 'failed',
      exitCode: 1,
      error: expect.stringMatching(
        /^r1-r2 down: h1 → h2 IPv4 was still without traffic when the fault was healed after/,
      ),
      result: {
        kind: 'tests',
        passed: 2,
        failed: 1,
        complete: true,
        tests: [
          { name: 'r1-r2 down', outcome: 'failed' },
          { name: 'r2-r3 down', outcome: 'passed' },
          { name: 'r3-r1 down', outcome: 'passed' },
        ],
      },
    });
    const report = (await service.get(`/jobs/${id}/artifacts/scenario.json`)).json as {
      faults: { streams: { lost: number; isAnswered: boolean }[]; afterHeal: { isAnswered: boolean }[] }[];
    };
    expect(report.faults.map(({ streams }) => streams[0]?.isAnswered)).toEqual([false, true, true]);
    expect(report.faults[0]?.streams[0]?.lost).toBeGreaterThan(20);
    expect(report.faults[0]?.afterHeal[0]?.isAnswered).toBe(true);
    expect((await service.get(`/jobs/${id}/artifacts/junit.xml`)).text).toContain('failures="1"');
    for (const picture of ['matrix.svg', 'timeline.svg'])
      expect((await service.get(`/jobs/${id}/artifacts/${picture}`)).text).toContain('r1-r2 down');
    await expectNothingLeft(service);
  });

  it(`heals when it is canceled, and when its program is killed${because}`, async () => {
    const service = await engineService();
    const { instance, request, expectNothingLeft } = await upIn(service);
    const canceled = await service.start(request(lasting));
    await isBroken(service, instance);
    const second = await service.start(request({ ...lasting, hold: '300ms' }));
    expect((await service.get(`/jobs/${second}`)).json).toMatchObject({
      state: 'queued',
      waitsFor: { job: canceled },
    });
    await service.request(`/jobs/${canceled}/cancel`, { method: 'POST' });
    expect(await service.ended(canceled)).toMatchObject({ state: 'canceled', leftovers: [] });
    expect(await service.ended(second)).toMatchObject({ state: 'failed', exitCode: 1 });
    await expectNothingLeft(service);

    const killed = await service.start(request(lasting));
    await isBroken(service, instance);
    const programs = entriesOf('/proc').filter((pid) => {
      try {
        const { [1]: file, [2]: socket } = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const job = (readFileSync(`/proc/${pid}/environ`, 'utf8').match(/LAB_JOB_ID=([^\0]*)/) ?? [])[1];
        return file?.endsWith('scenarios/run/main.js') === true && socket !== undefined && job === killed;
      } catch {
        return false;
      }
    });
    expect(programs).toHaveLength(1);
    process.kill(Number(programs[0]), 'SIGKILL');
    expect(await service.ended(killed)).toMatchObject({ state: 'failed', signal: 'SIGKILL' });
    await expectNothingLeft(service);
  });

  it(`has its lab for itself, and jobs wait for it${because}`, async () => {
    const service = await engineService();
    const { instance, request, where } = await upIn(service);
    const id = await service.start(request(lasting));
    await isBroken(service, instance);
    const place = `/labs/${instance}`;
    for (const [method, target] of [
      ['PUT', `${place}/links/1/fault`],
      ['PUT', `${place}/links/2/fault`],
      ['DELETE', `${place}/links/1/fault`],
      ['DELETE', `${place}/faults`],
    ] as const) {
      const body = method === 'PUT' ? { body: { kind: 'down' } } : {};
      expect({ target, reply: await service.request(target, { method, ...body }) }).toMatchObject({
        reply: {
          status: 409,
          json: { detail: expect.stringContaining(`the scenario ${id} breaks and heals it`) },
        },
      });
    }
    const down = await service.start({ action: 'down', workdir: where.directory, instance });
    const late = await service.start(request({ ...lasting, hold: '1s' }));
    await service.request(`/jobs/${id}/cancel`, { method: 'POST' });
    expect(await service.ended(down)).toMatchObject({ state: 'success' });
    expect(await service.ended(late)).toMatchObject({ state: 'failed', exitCode: 2 });
    expect(await service.logText(late)).toContain(`error: `);
  });

  it(`heals before a service stops that cancels its jobs${because}`, async () => {
    const ground = makeGround();
    const service = await engineService(ground, '--on-shutdown', 'cancel');
    const { instance, request, expectNothingLeft } = await upIn(service);
    const id = await service.start(request(lasting));
    await isBroken(service, instance);
    await service.end('SIGTERM');
    const record = readFileSync(path.join(ground.dataDir, 'faults.json'), 'utf8');
    expect(JSON.parse(record)).toEqual({ faults: [] });
    const next = await engineService(ground);
    expect((await next.get(`/jobs/${id}`)).json).toMatchObject({ state: 'canceled', signal: 'SIGINT' });
    await expectNothingLeft(next);
  });

  it(`ends when its lab is taken down from a shell${because}`, async () => {
    const service = await engineService();
    const { instance, request, where, probes } = await upIn(service);
    const id = await service.start(request(lasting));
    await isBroken(service, instance);
    expect(await lab(where, ['down', '--instance', instance])).toMatchObject({ exitCode: 0 });
    expect(await service.ended(id)).toMatchObject({ state: 'failed', exitCode: 2 });
    await eventually('no probe is left', async () => Promise.resolve(probes().length === 0));
    await eventually('the fault is forgotten', async () => {
      const { text } = await service.get('/metrics');
      return /^lab_api_lab_faults 0$/m.test(text);
    });
  });

  it(`is refused with a sentence before anything is touched${because}`, async () => {
    const service = await engineService();
    const { instance, where, request } = await upIn(service);
    writeFileSync(
      path.join(where.directory, 'bad.yml'),
      'flows:\n  - {from: h1, to: h2, rate: fast}\neach: {of: link}\n',
    );
    writeFileSync(path.join(root, 'outside.yml'), 'flows: []\n');
    writeFileSync(
      path.join(where.directory, 'names.yml'),
      'flows:\n  - {from: h9, to: h2}\neach: {of: link}\n',
    );
    symlinkSync(path.join(root, 'outside.yml'), path.join(where.directory, 'link.yml'));
    const file = (scenarioPath: string) => ({ action: 'scenario', instance, scenarioPath });
    const refused = [
      [
        request({ ...lasting, flows: [{ from: 'h9', to: 'h2' }] }),
        400,
        'scenario.flows.0.from: the lab has no node "h9"',
      ],
      [request({ ...lasting, hold: 'soon' }), 400, 'scenario.hold: must be seconds or a duration'],
      [request({ ...lasting, holds: 1 }), 400, 'there is no field "holds"'],
      [{ action: 'scenario', instance }, 400, 'scenario: is required'],
      [{ ...request(lasting), scenarioPath: 'bad.yml' }, 400, 'scenarioPath: is given beside "scenario"'],
      [file('bad.yml'), 400, 'bad.yml:2:30: flows.0.rate: must be a number'],
      [file('link.yml'), 400, 'scenarioPath: must be inside the working directory'],
      [file('../outside.yml'), 400, 'scenarioPath: must be inside the working directory'],
      [file('names.yml'), 400, 'names.yml:2:12: scenario.flows.0.from: the lab has no node "h9"'],
      [
        request({ ...lasting, title: 'x\nPASS y (1.00 s): z' }),
        400,
        'scenario.title: must not have control characters',
      ],
      [file('none.yml'), 400, 'scenarioPath: there is no file'],
      [{ ...request(lasting), instance: 'nothing' }, 404, 'nothing'],
    ] as const;
    for (const [body, status, detail] of refused) {
      const reply = await service.request('/jobs', { method: 'POST', body });
      expect({ body, status: reply.status, json: reply.json }).toMatchObject({
        status,
        json: { detail: expect.stringContaining(detail) },
      });
    }
    await service.request(`/labs/${instance}/links/1/fault`, { method: 'PUT', body: { kind: 'down' } });
    expect(await service.request('/jobs', { method: 'POST', body: request(lasting) })).toMatchObject({
      status: 409,
      json: { code: 'conflict', detail: expect.stringContaining('link 1 down') },
    });
  });
});

/** 30 for a whole run. */
const kills = Number(process.env['LAB_TEST_KILLS'] ?? 3);

it(`goes on when the service is killed, and leaves nothing${because}`, async () => {
  const ground = makeGround();
  let service = await engineService(ground);
  const { request, expectNothingLeft } = await upIn(service);
  const scenario = { flows, steady, each: { of: 'link' }, hold: '500ms' };
  for (let round = 0; round < kills; round += 1) {
    const id = await service.start(request(scenario));
    await delay(((round * 7_919) % 4_000) + 200);
    await service.end('SIGKILL');
    service = await engineService(ground);
    expect(await service.ended(id)).toMatchObject({
      state: 'failed',
      exitCode: 1,
      result: { complete: true, passed: 2, failed: 1 },
    });
    await expectNothingLeft(service);
  }
}, 600_000);
