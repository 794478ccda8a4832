import { expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { expandHome } from '../../../../src/lib/files/home.ts';

test.each([
  ['~', os.homedir()],
  ['~/', `${os.homedir()}/`],
  ['~/labs', path.join(os.homedir(), 'labs')],
  ['~alice/labs', '~alice/labs'],
  ['/labs/~', '/labs/~'],
  ['', ''],
])('%j is %j', (file, expected) => {
  expect(expandHome(file)).toBe(expected);
});
