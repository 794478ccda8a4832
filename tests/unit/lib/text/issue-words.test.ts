import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { issueWords } from '../../../../src/lib/text/issue-words.ts';

test.each<[string, z.ZodType, unknown]>([
  ['must be text', z.string(), 5],
  ['must be a number', z.number(), 'x'],
  ['must be a whole number', z.int(), 1.5],
  ['must be true or false', z.boolean(), 'x'],
  ['must be a list', z.array(z.string()), {}],
  ['must be an object', z.object({}), []],
  ['must be an object', z.record(z.string(), z.string()), 5],
  ['must be one of up, down', z.enum(['up', 'down']), 'x'],
  ['must not be empty', z.string().min(1), ''],
  ['must be at least 2 characters', z.string().min(2), 'a'],
  ['must be at least 1 entries', z.array(z.string()).min(1), []],
  ['must be at least 1', z.number().min(1), 0],
  ['must be over 0', z.number().gt(0), 0],
  ['must be at most 2 characters', z.string().max(2), 'abc'],
  ['must be at most 1 entries', z.array(z.int()).max(1), [1, 2]],
  ['must be at most 5', z.number().max(5), 6],
  [
    'its name must be short; its name has a dot',
    z.record(
      z
        .string()
        .max(2, 'must be short')
        .regex(/^[^.]*$/, 'has a dot'),
      z.string(),
    ),
    { 'a.b': 'x' },
  ],
])('%s', (words, schema, value) => {
  const { error } = schema.safeParse(value, { error: issueWords });
  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});
