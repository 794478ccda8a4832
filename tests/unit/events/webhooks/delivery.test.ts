import { expect, test } from '@jest/globals';
import { webhookEvents } from '../../../../src/config/value-kinds.ts';
import { newDelivery, typeOfChange } from '../../../../src/events/webhooks/delivery.ts';
import { changeSchema, type Change } from '../../../../src/events/model/event.ts';
import { eventJob } from '../../../../src/events/job-steps.ts';
import { jobStates } from '../../../../src/jobs/model/job.ts';
import { sampleJob } from '../../../support/sample-job.ts';

const at = '2026-01-02T03:04:05.678Z';
const lab = { instance: 'default', cli: 'netlab', directory: null, status: null, ready: null };

const changes: Change[] = [
  ...jobStates.map((state): Change => {
    return { event: 'job', data: { change: 'state', at, job: eventJob(sampleJob({ state })) } };
  }),
  { event: 'job', data: { change: 'removed', at, job: eventJob(sampleJob()) } },
  ...(['appeared', 'changed', 'ready', 'gone'] as const).map((change): Change => {
    return { event: 'lab', data: { change, at, lab } };
  }),
  ...(['expiring', 'expired', 'expiry-failed'] as const).map((change): Change => {
    return { event: 'lab', data: { change, at, lab, expiresAt: at } };
  }),
  ...(['fault-set', 'fault-healed'] as const).map((change): Change => {
    const none = { node: null, process: null, impairment: null, user: null, expiresAt: null };
    return {
      event: 'lab',
      data: { change, at, lab, fault: { ...none, link: '1', kind: 'down', setAt: at } },
    };
  }),
  ...(['started', 'stopping'] as const).map((change): Change => {
    return { event: 'service', data: { change, at, version: '1' } };
  }),
];

test('LAB_API_WEBHOOK_EVENTS knows every type that there is, and no other', () => {
  for (const change of changes) changeSchema.parse(change);
  const types = new Set(changes.map(typeOfChange));
  expect(new Set(webhookEvents.filter((name) => name.includes('.')))).toEqual(types);
});

test('a message has the same id whenever it is made of its event, another for each receiver', () => {
  const [change] = changes;
  if (!change) throw new Error('there are changes');
  const make = (to: 'server' | 'callback') => newDelivery('abcdef01-5', change, { to, url: '' }).id;
  expect([make('server'), make('server'), make('callback')]).toEqual([
    'abcdef01-5-server',
    'abcdef01-5-server',
    'abcdef01-5-callback',
  ]);
});
