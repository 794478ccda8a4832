import { expect, test } from '@jest/globals';
import { LeaveKeys } from '../../../../src/cli/remote/leave-keys.ts';

test.each([
  ['ls ~/.ssh\r', 'ls ~/.ssh\r'],
  ['~.', undefined],
  ['ls\r~.more', undefined],
  ['ls\n~.', undefined],
  ['x~.\r', 'x~.\r'],
  ['~~.\r', '~.\r'],
  ['~~~.\r', '~~.\r'],
  ['\r~\r~.', undefined],
  ['~/bin\r', '~/bin\r'],
  ['ls\r~', 'ls\r'],
])('%j passes %j, also key by key', (typed, passed) => {
  const whole = new LeaveKeys().pass(Buffer.from(typed));
  expect(whole && Buffer.from(whole).toString()).toBe(passed);
  const keys = new LeaveKeys();
  const each = Array.from(typed, (key) => keys.pass(Buffer.from(key)));
  const hasLeft = each.includes(undefined);
  expect(hasLeft ? undefined : Buffer.concat(each.map((bytes) => bytes ?? Buffer.alloc(0))).toString()).toBe(
    passed,
  );
});
