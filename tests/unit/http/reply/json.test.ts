import { expect, test } from '@jest/globals';
import { strongETag } from '../../../../src/http/reply/etag.ts';
import { jobPageText, jobText } from '../../../../src/http/reply/job-text.ts';
import { jsonText, sendJson } from '../../../../src/http/reply/json.ts';
import type { JobView } from '../../../../src/jobs/model/job-view.ts';
import { answerOf } from '../../../support/answer-of.ts';

test('JSON ends with a line feed', () => expect(jsonText({ a: 1 })).toBe('{"a":1}\n'));

test('is sent as JSON, unless a type was set', async () => {
  const plain = await answerOf((_req, res) => sendJson(res, '[1]\n'));
  expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(plain.text).toBe('[1]\n');
  const typed = await answerOf((_req, res) => sendJson(res.type('application/x+json'), '[1]\n'));
  expect(typed.headers['content-type']).toContain('application/x+json');
});

test('a strong entity tag is in quotes, and another for other bytes', () => {
  expect(strongETag('a')).toMatch(/^"[\w-]{27}"$/);
  expect(strongETag('a')).toBe(strongETag(Buffer.from('a')));
  expect(strongETag('a')).not.toBe(strongETag('b'));
});

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

test('a page is the JSON of its jobs and where the next one begins', () => {
  const jobs = [viewOf('queued'), viewOf('success'), viewOf('failed', 'ends with a space ')];
  for (const page of [
    { jobs, nextCursor: 'job-1-00000a' },
    { jobs, nextCursor: null },
    { jobs: [], nextCursor: null },
  ])
    expect(jobPageText(page)).toBe(jsonText(page));
});
