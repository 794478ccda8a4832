/** The built service while it may open no more files and connections. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../support/eventually.ts';
import { failedChecks, startGated } from '../support/gated-jobs.ts';
import { requirement } from '../support/requirements.ts';
import { processesOf, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';

const prlimit = requirement('prlimit');
/** A connection that was there before: no other gets a reply. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

/** Sets how many descriptors the service may have; the hard limit stays, so anybody may take this back. */
function limit(service: RunningProgram, count: number): void {
  execFileSync(prlimit.file, ['--pid', String(service.run.child.pid), `--nofile=${count}:`]);
}

const asMany = 1_024;
/** Standard input, output and error, and not one more. */
const none = 3;

const failing = async (service: RunningProgram) => Object.values(await failedChecks(service, { agent }));

(prlimit.missing === undefined ? describe : describe.skip)(
  `descriptors${prlimit.missing === undefined ? '' : ` (${prlimit.missing})`}`,
  () => {
    test('used up by clients: some are turned away, and all is well once the others are gone', async () => {
      const service = await startProgram();
      const id = await startGated(service, service.ground, 'followed', 'echo bye', 'exit 5');
      await service.request('/healthz', { agent });
      const followers = await Promise.all(
        Array.from({ length: 20 }, async () => service.open(`/jobs/${id}/log?follow=true`)),
      );
      limit(service, 60);
      const { hostname, port } = new URL(service.url);
      const clients = Array.from({ length: 100 }, () => net.connect(Number(port), hostname));
      const turnedAway = clients.map(async (client) =>
        once(
          client.on('error', () => undefined),
          'close',
        ),
      );
      await Promise.race(turnedAway);
      expect(await failing(service)).toContainEqual(expect.stringMatching(/ is not writable: EMFILE/));
      expect(await service.request(`/jobs/${id}`, { agent })).toMatchObject({ json: { state: 'running' } });

      for (const client of clients) client.destroy();
      await Promise.all(turnedAway);
      await eventually('a connection', async () => (await service.get('/healthz')).status === 200);
      service.ground.let('followed');
      expect(new Set(await Promise.all(followers.map(text)))).toEqual(new Set(['ready\nbye\n']));
      expect(await service.ended(id)).toMatchObject({ state: 'failed', exitCode: 5 });
      expect(await failing(service)).toEqual([]);
      expect(service.run.output()).not.toContain('was not handled');
    });

    test('none free: a cancel is accepted, a job ends, nothing is lost, and all is done once there are some', async () => {
      const service = await startProgram();
      const stopped = await startGated(service, service.ground, 'stopped');
      const ends = await startGated(service, service.ground, 'ends', 'exit 5');
      await service.request('/healthz', { agent });
      limit(service, none);
      expect(await failing(service)).toContainEqual(expect.stringMatching(/ is not writable: EMFILE/));
      const refused = await service.request('/jobs', {
        agent,
        method: 'POST',
        body: { action: 'create', workdir: service.ground.workdir, topology: topologyThat(':') },
      });
      expect(refused).toMatchObject({ status: 503, json: { code: 'storage-fault' } });
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      const cancel = await service.request(`/jobs/${stopped}/cancel`, { agent, method: 'POST' });
      expect(cancel).toMatchObject({ status: 202, json: { state: 'canceling' } });
      service.ground.let('ends');
      expect(await service.request('/healthz', { agent })).toMatchObject({ status: 200 });

      limit(service, asMany);
      expect(await service.ended(stopped)).toMatchObject({ state: 'canceled', leftovers: [] });
      expect(await processesOf(stopped)).toEqual([]);
      expect(await service.ended(ends)).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 5 });
      const later = await startGated(service, service.ground, 'later');
      service.ground.let('later');
      expect(await service.ended(later)).toMatchObject({ state: 'success' });
      expect(service.run.output()).not.toContain('was not handled');
    });
  },
);
