/** The container images, built and used as docs/docker.md says. */
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { takeLabServer } from '../support/lab-server.ts';
import { repoRoot } from '../support/repo-files.ts';
import { leftOut } from '../support/thorough.ts';
import { missingForContainerLabs, missingForContainers, requirement } from '../support/requirements.ts';

const run = promisify(execFile);

/** What it printed, whether it worked or not. */
async function smoke(options: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const program = path.join(repoRoot, 'scripts', 'smoke-docker.mjs');
  const { stdout } = await run(program, options, { env }).catch((failure: { stdout: string }) => failure);
  return stdout;
}

function testOr(missing: string | undefined) {
  return { because: missing === undefined ? '' : ` (skipped: ${missing})`, it: missing ? test.skip : test };
}

const tools = ['curl', 'openssl'].map((name) => requirement(name).missing).find((why) => why !== undefined);
const engine = testOr(tools ?? missingForContainers() ?? leftOut);
const labMissing = tools ?? missingForContainerLabs() ?? leftOut;
const lab = testOr(labMissing);
/** The lab server may be with another test file for a while. */
const timeoutMs = 900_000;

engine.it(
  `the image with the bundled engine does what an administrator needs${engine.because}`,
  async () => {
    const stdout = await smoke(['--engine-only']);
    expect(stdout).not.toMatch(/^\u2717/m);
    expect(stdout).toMatch(/^\u2713 size of lab-api: /m);
    expect(stdout).toMatch(
      /^\u2713 after a restart the job is failed, interrupted: the service or the machine/m,
    );
    expect(stdout).toMatch(/^\u2713 without root and capabilities: /m);
    expect(stdout).toMatch(/^\u2713 compose up: /m);
  },
  timeoutMs,
);

engine.it(
  `the image with netlab and FRR routes without Docker${engine.because}`,
  async () => {
    const stdout = await smoke(['--frr-only']);
    expect(stdout).not.toMatch(/^\u2717/m);
    expect(stdout).toMatch(/^\u2713 validate: each host reaches the other: /m);
  },
  timeoutMs,
);

lab.it(
  `the image with netlab starts labs of real routers on this machine${lab.because}`,
  async () => {
    const giveBack = await takeLabServer();
    const stdout = await smoke(['--netlab-only']).finally(giveBack);
    expect(stdout).not.toMatch(/^\u2717/m);
    // The images of the devices may be missing.
    expect(stdout).toMatch(
      /^\u2713 (a lab started outside: seen inside|netlab: skipped: there is no image)/m,
    );
  },
  timeoutMs,
);

test('scripts/smoke-docker.mjs is skipped where there is no Docker engine', async () => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
  const stdout = await smoke([], env);
  expect(stdout).toMatch(/^skipped: no Docker engine answers/);
});
