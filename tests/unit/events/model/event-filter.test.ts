import { expect, test } from '@jest/globals';
import { eventMatcher, type EventFilter } from '../../../../src/events/model/event-filter.ts';
import { eventJob } from '../../../../src/events/job-steps.ts';
import type { Change } from '../../../../src/events/model/event.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const at = '2026-01-02T03:04:05.000Z';
const changes: Change[] = [
  {
    event: 'job',
    data: { change: 'created', at, job: eventJob(sampleJob({ instance: '7', workdir: '/a' })) },
  },
  {
    event: 'lab',
    data: {
      change: 'appeared',
      at,
      lab: { instance: '7', cli: 'netlab', directory: '/a', status: null, ready: null },
    },
  },
  { event: 'service', data: { change: 'started', at, version: '1' } },
];

test.each<[EventFilter, string[]]>([
  [{}, ['job', 'lab', 'service']],
  [{ types: [] }, []],
  [{ types: ['job'] }, ['job']],
  [{ types: ['lab', 'service'] }, ['lab', 'service']],
  [{ instance: '7' }, ['job', 'lab', 'service']],
  [{ instance: '8' }, ['service']],
  [{ workdir: '/a', instance: '7' }, ['job', 'lab', 'service']],
  [{ workdir: '/b', instance: '7' }, ['service']],
  [{ workdir: '/a', instance: '8' }, ['service']],
  [{ workspace: 'w', isInWorkspace: (directory) => directory === '/a' }, ['lab', 'service']],
  [{ workspace: 'w', isInWorkspace: () => false }, ['service']],
  // It says nothing of a lab.
  [{ actions: ['down'] }, ['lab', 'service']],
  [{ actions: ['up'], types: ['job'] }, ['job']],
])('%j lets %j through', (filter, expected) => {
  const wants = eventMatcher(filter);
  expect(changes.filter(wants.change).map(({ event }) => event)).toEqual(expected);
});
