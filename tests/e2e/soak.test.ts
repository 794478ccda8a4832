/** A short run of scripts/soak.mjs; the long one, of two hours, is for people. */
import { expect } from '@jest/globals';
import { testUnless } from '../support/requirements.ts';
import { missingForSandbox } from '../support/sandbox.ts';
import { complaintOf } from '../support/script-run.ts';
import { leftOut } from '../support/thorough.ts';

const { it, because } = testUnless(missingForSandbox() ?? leftOut);

it(`half a minute of mixed use has no unexpected answer, and leaves no descriptor and no process${because}`, async () => {
  expect(await complaintOf('soak.mjs', '--minutes', '0.5', '--seed', '1')).toBe('');
}, 180_000);
