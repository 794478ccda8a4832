/** A short run of scripts/access-matrix.mjs; the long one is for people: `scripts/access-matrix.mjs`. */
import { expect } from '@jest/globals';
import { requirement, testUnless } from '../support/requirements.ts';
import { missingForSandbox } from '../support/sandbox.ts';
import { complaintOf } from '../support/script-run.ts';
import { isThorough } from '../support/thorough.ts';

const missing = requirement('ip').missing ?? missingForSandbox();
const { because, it } = testUnless(missing);

it(`each role may call what the routes declare, with password, token and session, and nothing else${because}`, async () => {
  const requests = isThorough ? '2000' : '200';
  // The output names each answer that goes beyond a role, and each 500.
  expect(await complaintOf('access-matrix.mjs', '--requests', requests, '--seed', '1')).toBe('');
}, 300_000);
