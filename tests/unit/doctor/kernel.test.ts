import { describe, expect, test } from '@jest/globals';
import { checkKernel } from '../../../src/doctor/kernel.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { fixtureProgram } from '../../support/programs.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { requirement } from '../../support/requirements.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** Runs the rest of its arguments where it is. */
const unshare = 'while [ "$1" != sh ]; do shift; done; exec "$@"';
const without = (...missing: readonly string[]): string =>
  `case "$*" in ${missing.map((one) => `*"${one}"*`).join('|')}) echo "Unknown device type" >&2; exit 2;; esac`;

async function found(scripts: Readonly<Record<string, string>>, LAB_API_CLI = 'netlab'): Promise<Finding> {
  const PATH = programDirectory(root, { netlab: '', unshare, ip: '', tc: '', modprobe: '', ...scripts });
  return checkKernel(subjectOf({ LAB_API_CLI, PATH }));
}

describe('the features of the kernel that labs use', () => {
  test('all is there', async () => {
    const detail = 'veth, bridge, sch_netem, dummy, vrf, 8021q, bonding, vxlan, mpls_router';
    expect(await found({})).toEqual({ kind: 'ok', detail });
  });

  test('some is missing: labs without it start', async () => {
    const scripts = { ip: without('type vrf', 'type bond'), tc: without('netem') };
    expect(await found(scripts)).toEqual({
      kind: 'warning',
      detail: 'labs will miss sch_netem (impaired links), vrf (VRFs), bonding (link aggregation)',
      remedy: expect.stringMatching(/linux-modules-extra.*modprobe -a sch_netem vrf bonding$/),
    });
  });

  test('no lab has a link', async () => {
    expect(await found({ ip: without('type veth') })).toMatchObject({
      kind: 'failed',
      detail: 'labs will miss veth (links)',
    });
  });

  test('the engine has no VRFs', async () => {
    expect(await found({ ip: without('type vrf') }, 'engine')).toEqual({
      kind: 'ok',
      detail: 'veth, bridge, sch_netem',
    });
  });

  test.each([
    [
      'without a network namespace',
      { unshare: 'echo "unshare failed: Operation not permitted" >&2; exit 1' },
    ],
    ['without tc', { tc: 'echo "tc: not found" >&2; exit 127' }],
  ])('%s, nothing is said of the kernel', async (_name, scripts) => {
    expect(await found(scripts)).toMatchObject({
      kind: 'skipped',
      detail: expect.stringMatching(/^the kernel cannot be tried here: (unshare failed|tc: not found)/),
    });
  });

  const { missing } = requirement('ip');
  const isRoot = process.getuid?.() === 0;
  (missing === undefined && isRoot ? test : test.skip)(
    'the kernel of this machine has links (needs root and iproute2)',
    async () => {
      const finding = await checkKernel(
        subjectOf({ LAB_API_CLI: fixtureProgram('fake-netlab'), PATH: process.env['PATH'] ?? '' }),
      );
      expect(['ok', 'warning']).toContain(finding.kind);
    },
  );
});
