/** Data of the page that changes while it is fetched. */
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from '@jest/globals';
import { fetchAgain, queryClient } from '../../../web/dashboard/src/api/query-client.ts';
import { deferred, type Deferred } from '../../../src/lib/async/deferred.ts';
import { eventually } from '../../support/eventually.ts';

afterEach(() => queryClient.clear());

/** A query that is shown. Its answers are given by the test. */
function shown(queryKey: readonly string[]) {
  const answers: Deferred<string>[] = [];
  const observer = new QueryObserver<string>(queryClient, {
    queryKey,
    queryFn: async () => {
      const answer = deferred<string>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const show = (): (() => void) => observer.subscribe(() => undefined);
  const leave = show();
  const fetched = async (times: number): Promise<true> =>
    eventually(`fetched ${times} times`, () => answers.length >= times);
  return { answers, fetched, show, leave, value: () => observer.getCurrentResult().data };
}

test.each([
  ['of its key', ['job', '1']],
  ['of a part of its key', ['job']],
  ['of all keys', []],
])('a change during the first fetch, %s, is fetched after it', async (_, key) => {
  const job = shown(['job', '1']);
  const other = shown(['job', '1', 'log']);
  await job.fetched(1);
  other.answers[0]?.resolve('line');
  await eventually('the log', () => other.value() === 'line');

  const again = fetchAgain(key);
  await other.fetched(2);
  expect(job.answers.length).toBe(1);
  job.answers[0]?.resolve('running');
  await job.fetched(2);
  job.answers[1]?.resolve('success');
  other.answers[1]?.resolve('lines');
  await again;
  expect([job.value(), other.value()]).toEqual(['success', 'lines']);
  // Data that was there already is fetched once.
  expect([job.answers.length, other.answers.length]).toEqual([2, 2]);
  job.leave();
  other.leave();
});

test('a change during the fetch of a query that is no longer shown is fetched when it is shown again', async () => {
  const job = shown(['job', '1']);
  await job.fetched(1);
  job.leave();
  // It is not shown, so nothing waits for it.
  await fetchAgain(['job']);
  job.answers[0]?.resolve('running');
  await eventually('the old answer', () => {
    const state = queryClient.getQueryState(['job', '1']);
    return state?.data === 'running' && state.isInvalidated;
  });
  const leave = job.show();
  await job.fetched(2);
  job.answers[1]?.resolve('success');
  await eventually('the new answer', () => job.value() === 'success');
  leave();
});

test('several changes during the first fetch are fetched once, also after a failure', async () => {
  const job = shown(['job', '1']);
  await job.fetched(1);
  const again = Promise.all([fetchAgain(['job']), fetchAgain([]), fetchAgain(['job', '1'])]);
  job.answers[0]?.reject(new Error('refused'));
  await job.fetched(2);
  job.answers[1]?.resolve('success');
  await again;
  expect([job.answers.length, job.value()]).toEqual([2, 'success']);
  job.leave();
});
