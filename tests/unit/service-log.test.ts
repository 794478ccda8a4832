import { expect, test } from '@jest/globals';
import { createServiceLog } from '../../src/service-log.ts';

test('nothing is made of a line that the level does not want', () => {
  let isLookedAt = false;
  const fields = {
    get value(): string {
      isLookedAt = true;
      return 'costly';
    },
  };
  const log = createServiceLog({ level: 'warn', format: 'json' });
  log.debug('request', fields);
  log.info('request', fields);
  expect(isLookedAt).toBe(false);
});
