import { expect, test } from '@jest/globals';
import { sourceText } from '../../../web/dashboard/src/parts/source-text.ts';

const source = {
  git: 'https://git.example/course.git',
  ref: 'main',
  path: 'labs/ospf',
  commit: '1a'.repeat(20),
};

test('the text about a source has its directory, repository, ref and commit', () => {
  expect(sourceText({ source })).toBe('labs/ospf of https://git.example/course.git, main at 1a1a1a1a1a1a');
  const whole = { ...source, ref: null, path: null };
  expect(sourceText({ source: whole })).toBe(
    'https://git.example/course.git, its default branch at 1a1a1a1a1a1a',
  );
});

test('files that did not come from Git, and replies of an earlier version, have none', () => {
  expect(sourceText({ source: null })).toBeUndefined();
  expect(sourceText({})).toBeUndefined();
});
