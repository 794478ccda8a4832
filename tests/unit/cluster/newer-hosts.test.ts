/** Neighbouring versions work together: a newer host says more, and an older one passes over what it does not know. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { hostRecordSchema } from '../../../src/cluster/model/host.ts';
import { jobRowSchema } from '../../../src/cluster/model/job-row.ts';
import { answerSchema, messageSchema } from '../../../src/cluster/model/message.ts';
import { sampleRow } from '../../support/sample-job.ts';

const [id, to] = [randomUUID(), randomUUID()];
const host = {
  id,
  name: 'lab1',
  url: 'http://lab1',
  pin: null,
  version: '9.0.0',
  run: randomUUID(),
  startedAtMs: 1,
  labels: [],
  clis: ['netlab'],
  isDraining: false,
  capacity: 2,
  running: 0,
  queued: 0,
  freeMemoryBytes: 1,
  memoryBytes: 2,
  labs: [{ instance: 'default', directory: '/labs' }],
  cannotReach: [],
  seenAtMs: 1,
};
const row = { ...sampleRow, host: id };
const message = {
  kind: 'submit',
  nonce: 'n',
  from: id,
  to,
  asker: { name: 'ann', role: 'admin', workdirs: null },
  body: {},
  place: null,
  claim: null,
  ifRoom: false,
  endsAtMs: 1,
};
const answer = { nonce: 'n', outcome: { kind: 'accepted', job: { id: 'job-1-abcdef' }, isReplayed: false } };

test('a host of an earlier version, which does not say, has no lab CLI that could be asked for', () => {
  const { clis: _unsaid, ...earlier } = host;
  expect(hostRecordSchema.parse(earlier)).toEqual({ ...host, clis: [] });
});

test.each([
  ['a host', hostRecordSchema, host],
  ['a row', jobRowSchema, row],
  ['a message', messageSchema, message],
  ['an answer', answerSchema, answer],
])('%s with a field of a newer version is read as without', (_what, schema, known) => {
  expect(schema.parse(known)).toEqual(known);
  expect(schema.parse({ ...known, ofLater: { a: [1] } })).toEqual(known);
});

test('what an older host does not say is as if it had said the usual', () => {
  const { place: _place, ifRoom: _ifRoom, ...older } = message;
  expect(messageSchema.parse(older)).toEqual(message);
  const { cannotReach: _cannotReach, ...olderHost } = host;
  expect(hostRecordSchema.parse(olderHost)).toEqual(host);
});

test('a job of a kind that only a newer host knows is a job', () => {
  expect(jobRowSchema.parse({ ...row, action: 'of-later' })).toMatchObject({ action: 'of-later' });
});
