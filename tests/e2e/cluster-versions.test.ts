/** scripts/cluster-versions.mjs: a host beside one of a later version, which says more everywhere, and then upgraded to it. */
import { expect, test } from '@jest/globals';
import { requirement } from '../support/requirements.ts';
import { complaintOf } from '../support/script-run.ts';

const { missing } = requirement('redis-server');
const name = 'hosts of two versions do all for each other, and the older one is upgraded in place';

(missing === undefined ? test : test.skip)(
  missing === undefined ? name : `${name} (skipped: ${missing})`,
  async () => {
    expect(await complaintOf('cluster-versions.mjs')).toBe('');
  },
  180_000,
);
