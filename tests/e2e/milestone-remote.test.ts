/** Whole courses over HTTP alone; tests/integration/netlab-client.test.ts has a lab of netlab in containers. */
import { expect } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { missingForAnyLabs, missingForLabs } from '../support/engine-cli.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { runCommand } from '../support/service.ts';

const missing =
  missingForAnyLabs() ??
  ['tar', 'tcpdump', 'ping'].map((name) => requirement(name).missing).find((why) => why !== undefined);
const engine = testUnless(missing);

async function play(option: string, steps: number, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const run = runCommand([path.resolve('scripts/milestone.mjs'), 'remote', option], env, repoRoot);
  const code = await run.exit;
  // The output tells the step that failed.
  expect(code === 0 ? '' : run.output()).toBe('');
  expect(run.output().match(/^\u2713 .*/gm)).toHaveLength(steps);
  expect(run.output()).toMatch(/The milestone is reached\.\n$/);
}

engine.it(
  `scripts/milestone.mjs remote --engine goes through${engine.because}`,
  async () => {
    await play('--engine', 11);
  },
  120_000,
);

const netlabBin = path.join(process.env['NETLAB_HOME'] ?? '/opt/netlab', 'bin');
const PATH = `${netlabBin}:${process.env['PATH'] ?? ''}`;
const hasFrr = existsSync('/usr/lib/frr/frrinit.sh');
const routed = testUnless(
  missing ??
    missingForLabs() ??
    (existsSync(path.join(netlabBin, 'netlab')) ? undefined : requirement('netlab').missing) ??
    (hasFrr ? undefined : 'the package frr is not installed'),
);

// OSPF on real routers of netlab, without Docker.
routed.it(
  `scripts/milestone.mjs remote --namespaces goes through${routed.because}`,
  async () => {
    await play('--namespaces', 16, { ...process.env, PATH });
  },
  240_000,
);
