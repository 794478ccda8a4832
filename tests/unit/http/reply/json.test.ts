import { expect, test } from '@jest/globals';
import { strongETag } from '../../../../src/http/reply/etag.ts';
import { jsonText, sendJson } from '../../../../src/http/reply/json.ts';
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
