/** A short run of scripts/schemathesis.mjs; the long one is for people: `scripts/schemathesis.mjs`. */
import { expect, test } from '@jest/globals';
import path from 'node:path';
import { runCommand } from '../support/service.ts';
import { missingForSandbox } from '../support/sandbox.ts';
import { requirement } from '../support/requirements.ts';
import { repoRoot } from '../support/repo-files.ts';

const missing = requirement('schemathesis').missing ?? requirement('ip').missing ?? missingForSandbox();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

it(`schemathesis finds no request and no reply that is not as the description says${because}`, async () => {
  const script = path.join(repoRoot, 'scripts/schemathesis.mjs');
  const run = runCommand(
    [process.execPath, script, '--examples', '10', '--seed', '1'],
    process.env,
    repoRoot,
  );
  const code = await run.exit;
  // Each finding, with a command that shows it; all of the output where the script itself failed.
  const findings = /^=+ FAILURES =+$[^]*?^={5}/m.exec(run.output())?.[0] ?? run.output();
  expect(code === 0 ? '' : findings).toBe('');
  const outcomes = ['Examples', 'Coverage', 'Fuzzing', 'Stateful'].map((phase) => `✅ ${phase}`);
  expect(outcomes.filter((words) => !run.output().includes(words))).toEqual([]);
}, 600_000);
