import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { maxKeyOffers, maxLogins, maxUnanswered, usualPatience, windowBytes } from '../../src/ssh/limits.ts';
import { repoRoot } from '../support/repo-files.ts';

test('docs/ssh.md has the limits of the gateway', () => {
  const { loginMs, askMs } = usualPatience;
  const text = readFileSync(path.join(repoRoot, 'docs/ssh.md'), 'utf8');
  expect(text).toContain(`| ${loginMs / 1_000} s, ${maxLogins} passwords or tokens, ${maxKeyOffers} keys `);
  expect(text).toContain(`| cut off after ${((maxUnanswered + 1) * askMs) / 60_000} minutes `);
  expect(text).toContain(` ${windowBytes / 1024} KiB for a channel `);
});
