#!/usr/bin/env node
// Uses the built service as a busy team does, and shows whether anything grows with time:
//   scripts/soak.mjs [--minutes N] [--seed N]
// Jobs that succeed, fail and are canceled, labs of the bundled engine with commands, terminals, traffic and faults, uploads,
// followers of events and logs, users and tokens that come and go, dashboards that poll, and reloads of the settings. Memory
// after a collection of garbage, descriptors, timers, processes and the data directory are read again and again. Each must be flat
// in the second half: the slope (Theil and Sen) over that time may not exceed its allowance. An unexpected answer is a violation.
// Needs `ping` and Linux namespaces: root, or user namespaces. 120 minutes, unless --minutes says otherwise. Ends with 1 on any violation.
import { confine, isConfined } from './lib/confine.mjs';
import { readOptions } from './lib/options.mjs';
import { makeRandom } from './lib/random.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { tryOut } from './lib/trial.mjs';
import { buildSoak } from './soak/run.mjs';

const { minutes, seed } = readOptions({
  minutes: { type: 'string', default: '120' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
const exitCode = isConfined()
  ? await tryOut({ title: `${minutes} minutes of mixed use`, seed: Number(seed) }, async (temporary) =>
      buildSoak({ temporary, minutes: Number(minutes), random: makeRandom(Number(seed)) }),
    )
  : await confine(temporaryDirectory('lab-api-soak'), { hasOwnNetwork: true });
// Followers of the service that has ended would wait for it.
process.exit(exitCode);
