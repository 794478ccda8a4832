/** A lab of netlab, with routing daemons, for a user without privileges, and without Docker. */
import { expect } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { asNobody, giveToNobody, missingForRootless } from '../support/rootless.ts';
import { requirement, testUnless } from '../support/requirements.ts';

const repository = path.resolve(__dirname, '../..');
const standIns = path.join(repository, 'dist/engine/runtime');
const netlab = requirement('netlab');
const frr = '/usr/lib/frr/frrinit.sh';

function missingForNetlab(): string | undefined {
  if (netlab.missing !== undefined) return netlab.missing;
  if (!existsSync(frr)) return `there is no ${frr}`;
  try {
    // In a user namespace, where it runs: some kernels are stricter there with a Python in a directory of root alone.
    execFileSync(asNobody[0]!, [...asNobody.slice(1), 'unshare', '--map-root-user', netlab.file, 'version'], {
      stdio: 'ignore',
      env: { ...process.env, HOME: os.tmpdir() },
    });
    return undefined;
  } catch {
    return 'netlab is for root alone';
  }
}

const { because, it } = testUnless(missingForRootless() ?? missingForNetlab());

it(`a lab of routers comes up, answers and leaves nothing, without privileges${because}`, () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'lab-rootless-'));
  const lab = path.join(home, 'lab');
  mkdirSync(lab);
  writeFileSync(
    path.join(lab, 'topology.yml'),
    'provider: clab\nname: bare\ndefaults.device: frr\nmodule: [ospf]\nnodes: [r1, r2]\nlinks: [r1-r2]\n',
  );
  // netlab looks for them in /proc/modules, which some kernels lack.
  writeFileSync(path.join(home, '.netlab.yml'), 'devices.frr.clab.kmods.initial: []\n');
  giveToNobody(home);
  const env = {
    HOME: home,
    LAB_HOME: path.join(home, '.lab'),
    LAB_NETLAB: netlab.file,
    LAB_NODE: process.execPath,
    LAB_RUNTIME: 'namespaces',
    PATH: `${standIns}:${path.dirname(netlab.file)}:${process.env['PATH'] ?? ''}`,
  };
  const options = { cwd: lab, env, encoding: 'utf8' } as const;
  const run = (...words: string[]): string =>
    execFileSync(asNobody[0]!, [...asNobody.slice(1), ...words], options);
  const down = [path.join(standIns, 'netlab'), 'down', '--cleanup'];
  try {
    run(path.join(standIns, 'netlab'), 'up');
    const vtysh = ['docker', 'exec', 'clab-bare-r1', 'vtysh', '-c', 'show interface brief'];
    expect(run(...vtysh)).toContain('eth1');
    run(path.join(standIns, 'netlab'), 'restart-nodes', '--node', 'r1');
    expect(run(...vtysh)).toMatch(/eth1 .*10\.1\.0\.1/);
    expect(run('sudo', '-n', 'ip', 'netns', 'exec', 'clab-bare-r1', 'id', '-u')).toBe('0\n');
    run(...down);
  } catch (error) {
    // An error of this must not hide the first one.
    spawnSync(asNobody[0]!, [...asNobody.slice(1), ...down], options);
    throw error;
  }
  expect(existsSync(path.join(home, '.lab/holder.json'))).toBe(false);
  expect(readdirSync(lab)).toEqual(['topology.yml']);
  rmSync(home, { recursive: true });
}, 120_000);
