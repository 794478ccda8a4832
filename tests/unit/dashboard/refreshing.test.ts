/** When the page fetches changed data again. */
import { describe, expect, test } from '@jest/globals';
import { Refreshing } from '../../../web/dashboard/src/api/refreshing.ts';
import { deferred, type Deferred } from '../../../src/lib/async/deferred.ts';
import { eventually } from '../../support/eventually.ts';

interface Question {
  readonly key: string;
  readonly answer: Deferred<void>;
}

function asking() {
  const questions: Question[] = [];
  const refreshing = new Refreshing(async (key) => {
    const answer = deferred<void>();
    questions.push({ key: key.join(' '), answer });
    return answer.promise;
  }, 0);
  const asked = async (keys: readonly string[]): Promise<void> => {
    await eventually(`asked for ${keys.length}`, () => questions.length >= keys.length);
    expect(questions.map(({ key }) => key)).toEqual(keys);
  };
  return { questions, refreshing, asked };
}

describe('changed data', () => {
  test('is fetched once after several changes', async () => {
    const { refreshing, asked } = asking();
    for (const key of [['labs'], ['jobs'], ['labs'], ['job', '1']]) refreshing.note(key);
    await asked(['labs', 'jobs', 'job 1']);
  });

  test('is not fetched again before the answer arrives, and then once more', async () => {
    const { questions, refreshing, asked } = asking();
    refreshing.note(['labs']);
    await asked(['labs']);
    refreshing.note(['labs']);
    refreshing.note(['jobs']);
    await asked(['labs', 'jobs']);
    questions[0]?.answer.reject(new Error('refused'));
    await asked(['labs', 'jobs', 'labs']);
    questions[2]?.answer.resolve();
    refreshing.note(['events']);
    await asked(['labs', 'jobs', 'labs', 'events']);
  });
});
