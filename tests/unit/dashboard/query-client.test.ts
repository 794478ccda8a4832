/** Data of the page that changes while it is fetched. */
import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from '@jest/globals';
import { fetchAgain, queryClient } from '../../../web/dashboard/src/api/query-client.ts';
import { deferred, type Deferred } from '../../../src/lib/async/deferred.ts';
import { eventually } from '../../support/eventually.ts';

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
  const leave = observer.subscribe(() => undefined);
  const fetched = async (times: number): Promise<true> =>
    eventually(`fetched ${times} times`, () => answers.length >= times);
  return { answers, fetched, leave, value: () => observer.getCurrentResult().data };
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
  job.answers[0]?.resolve('running');
  await job.fetched(2);
  job.answers[1]?.resolve('success');
  await other.fetched(2);
  other.answers[1]?.resolve('lines');
  await again;
  expect([job.value(), other.value()]).toEqual(['success', 'lines']);
  // Data that was there already is fetched once.
  expect([job.answers.length, other.answers.length]).toEqual([2, 2]);
  job.leave();
  other.leave();
  queryClient.clear();
});
