/** The reports of the real netlab. */
import { beforeAll, expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { netlabReports } from '../../src/labs/drivers/netlab/netlab-reports.ts';
import { runCaptured } from '../../src/labs/system/run.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const netlab = requirement('netlab');
const { because, it } = testUnless(netlab.missing);
const cwd = temporaryDirectory();
const env = {
  ...process.env,
  HOME: cwd,
  PATH: `${path.dirname(netlab.file)}:${process.env['PATH'] ?? ''}`,
} as Record<string, string>;
const run = async (args: readonly string[]) =>
  runCaptured(netlab.file, args, { cwd, env, timeoutMs: 60_000 });

const topology = `
provider: clab
defaults.device: frr
module: [ bgp ]
bgp.as: 65001
nodes: [ r1, r2 ]
links: [ r1-r2 ]
`;

beforeAll(() => {
  if (netlab.missing !== undefined) return;
  writeFileSync(path.join(cwd, 'topology.yml'), topology);
  expect(spawnSync(netlab.file, ['create'], { cwd, env })).toMatchObject({ status: 0 });
  // Newer than the snapshot: netlab warns of that.
  writeFileSync(path.join(cwd, 'topology.yml'), `${topology}# edited\n`);
});

it(`reports are listed and made in each format${because}`, async () => {
  const reports = await netlabReports.list(run);
  const wanted = ['addressing', 'bgp.md', 'bgp-asn.md', 'bgp.html'].filter((name) =>
    reports.some((report) => report.name === name),
  );
  expect(wanted).toEqual(['addressing', 'bgp-asn.md', 'bgp.html']);
  for (const name of wanted) {
    const report = (await netlabReports.make(run, name))?.toString('utf8');
    expect(report).toContain(name === 'addressing' ? '10.1.0.1/30' : '65001');
    expect(report?.includes('<html>')).toBe(name.endsWith('.html'));
    expect(report).not.toContain('Warning');
  }
});

it(`a template beside the topology is a report too${because}`, async () => {
  expect(await netlabReports.make(run, 'own.md')).toBeUndefined();
  mkdirSync(path.join(cwd, 'reports'));
  writeFileSync(path.join(cwd, 'reports/own.md.j2'), '{{ nodes | length }} routers');
  expect(String(await netlabReports.make(run, 'own.md'))).toBe('2 routers\n');
  writeFileSync(path.join(cwd, 'reports/broken.j2'), '{{ nodes.r1.nothing.more }}');
  await expect(netlabReports.make(run, 'broken')).rejects.toMatchObject({ code: 'lab-cli-failed' });
});
