/** A whole course over HTTP alone, on the bundled engine; tests/integration/netlab-client.test.ts has a lab of netlab. */
import { expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { requirement, testUnless } from '../support/requirements.ts';

const missing =
  missingForAnyLabs() ??
  ['tar', 'tcpdump', 'ping'].map((name) => requirement(name).missing).find((why) => why !== undefined);
const { because, it } = testUnless(missing);

it(`scripts/milestone.mjs remote --engine goes through${because}`, async () => {
  const { stdout } = await promisify(execFile)('scripts/milestone.mjs', ['remote', '--engine']);
  expect(stdout.match(/^\u2713 .*/gm)).toHaveLength(10);
  expect(stdout).toMatch(/The milestone is reached\.\n$/);
}, 120_000);
