import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { netlab } from '../support/netlab-oracle.ts';

/** A checkout of netlab, or of its `tests`: LAB_TEST_NETLAB=/path npx jest tests/integration/engine-coverage.test.ts */
const checkout = process.env['LAB_TEST_NETLAB'];
const missing = checkout === undefined ? 'LAB_TEST_NETLAB names no checkout of netlab' : netlab.missing;
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

it(`of netlab's own topologies, all that are accepted have netlab's addresses${because}`, async () => {
  const script = path.resolve('scripts/engine-coverage.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, checkout!], { maxBuffer: 2 ** 26 });
  expect(stdout).toMatch(/^\d+ topologies: [1-9]\d* accepted, \d+ refused$/m);
  expect(stdout).toMatch(/netlab gives the same addresses to [1-9]\d*, others to 0, .*; 0 not compared$/m);
}, 3_600_000);
