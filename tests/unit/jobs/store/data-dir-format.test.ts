import { expect, test } from '@jest/globals';
import { dataDirFormat } from '../../../../src/jobs/store/data-dir-format.ts';
import { jobSchema, jobStates } from '../../../../src/jobs/model/job.ts';
import { linkFaultKinds, nodeFaultKinds } from '../../../../src/labs/model/fault.ts';
import { actions } from '../../../../src/labs/model/actions.ts';

// A version before sets records aside that have a word which it does not know.
test('after a change of the words of records, the data directory has another format', () => {
  const reasons = jobSchema.shape.reason.unwrap().options;
  const words = [actions, jobStates, reasons, linkFaultKinds, nodeFaultKinds].map((list) => list.join(' '));
  expect([dataDirFormat, ...words]).toEqual([
    1,
    'up create down collect status restart validate initial config exec start-nodes stop-nodes restart-nodes scenario',
    'queued running canceling success failed canceled',
    'exited signaled canceled timeout spawn-error log-limit interrupted',
    'down silent impaired',
    'isolated paused killed',
  ]);
});
