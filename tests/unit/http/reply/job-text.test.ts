import { expect, test } from '@jest/globals';
import { strongETag } from '../../../../src/http/reply/etag.ts';
import { jobPageText, jobText } from '../../../../src/http/reply/job-text.ts';
import { jsonText } from '../../../../src/http/reply/json.ts';
import type { JobView } from '../../../../src/jobs/model/job-view.ts';

/** What the text is made of is all the same to it. */
const viewOf = (state: JobView['state'], error: string | null = null): JobView =>
  ({ id: 'job-1-00000a', state, error, logSize: 3 }) as JobView;

test.each(['success', 'running'] as const)(
  'a job that is %s is sent as JSON, with the tag of that',
  (state) => {
    const job = viewOf(state, 'with "quotes", € and \n');
    for (const { text, etag } of [jobText(job), jobText(job)]) {
      expect(text).toBe(jsonText(job));
      expect(etag).toBe(strongETag(text));
    }
  },
);

test('the text of a job that has ended is made once', () => {
  const job = viewOf('failed');
  expect(jobText(job)).toBe(jobText(job));
});

test('a page is the JSON of its jobs and where the next one begins', () => {
  const jobs = [viewOf('queued'), viewOf('success'), viewOf('failed', 'ends with a space ')];
  for (const page of [
    { jobs, nextCursor: 'job-1-00000a' },
    { jobs, nextCursor: null },
    { jobs: [], nextCursor: null },
  ])
    expect(jobPageText(page)).toBe(jsonText(page));
});
