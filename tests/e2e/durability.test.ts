/** What is promised is on disk for good first: the order of the calls of the built service, from the request to the process. */
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeGround, startProgram, topologyThat } from '../support/service.ts';

test('a job is on disk for good before the reply, and its start before its process', async () => {
  const ground = makeGround();
  const calls = path.join(ground.root, 'calls');
  const preload = path.join(__dirname, '..', 'fixtures', 'note-calls.cjs');
  const env = { NODE_OPTIONS: `--require=${preload}`, NOTED_CALLS: calls };
  const service = await startProgram({ ground, env });
  writeFileSync(calls, '');
  const { workdir } = ground;
  const id = await service.start({ action: 'create', workdir, topology: topologyThat('exit 5') });
  await service.ended(id);

  const jobs = path.join(ground.dataDir, 'jobs');
  const steps = readFileSync(calls, 'utf8')
    .replaceAll(path.join(jobs, id), 'JOB')
    .replaceAll(jobs, 'JOBS')
    .replaceAll(/ticket-\S+/g, 'ticket')
    .split('\n')
    .filter((step) => /JOB|reply 202|spawn \/bin\/sh/.test(step));
  const record = ['write JOB/job.json.tmp', 'sync JOB/job.json.tmp', 'rename JOB/job.json', 'sync JOB'];
  const made = ['write JOB/topology.yml', 'sync JOB/topology.yml', 'write JOB/log', ...record, 'sync JOBS'];
  expect(steps.slice(0, made.length)).toEqual(made);
  expect(steps.slice(made.length)).toContain('reply 202');
  const started = steps.slice(made.length).filter((step) => step !== 'reply 202');
  const start = ['write JOB/shim.err', 'write JOB/ticket', 'sync JOB', 'spawn /bin/sh'];
  expect(started.slice(0, record.length + start.length)).toEqual([...record, ...start]);
});
