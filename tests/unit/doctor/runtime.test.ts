import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../../src/doctor/finding.ts';
import { checkRuntime, runsHere } from '../../../src/doctor/runtime.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const isRoot = process.getuid?.() === 0;

/** A /proc with a `zebra` in a network namespace; this process is in `net:[1]`. */
function procWith(namespace: string): string {
  const proc = path.join(root, namespace);
  for (const [pid, comm, net] of [
    ['self', 'node', 'net:[1]'],
    ['7', 'zebra', namespace],
  ] as const) {
    mkdirSync(path.join(proc, pid, 'ns'), { recursive: true });
    writeFileSync(path.join(proc, pid, 'comm'), `${comm}\n`);
    symlinkSync(net, path.join(proc, pid, 'ns/net'));
  }
  mkdirSync(path.join(proc, '8'));
  return proc;
}
const ofMachine = procWith('net:[1]');
const ofNode = procWith('net:[2]');

const system = { ip: '', nsenter: '', unshare: '' };

async function found(
  programs: Readonly<Record<string, string>>,
  more: {
    readonly version?: string;
    readonly proc?: string;
    readonly cli?: string;
    readonly setting?: string;
  },
): Promise<Finding> {
  const { version, proc = ofNode, cli = 'netlab', setting = 'auto' } = more;
  const zebra = version === undefined ? {} : { zebra: `echo "zebra version ${version}"` };
  const PATH = programDirectory(root, { netlab: '', containerlab: '', ...programs, ...zebra });
  const subject = subjectOf({ LAB_API_CLI: cli, LAB_API_RUNTIME: setting, PATH });
  return checkRuntime(subject, { zebra: path.join(PATH, 'zebra'), proc });
}

test('a zebra in the namespace of a node does not count', () => {
  expect([ofMachine, ofNode].map((proc) => runsHere('zebra', proc))).toEqual([true, false]);
});

test('containers, and lab CLIs without a choice', async () => {
  expect(await found({ docker: '', ...system }, {})).toEqual({
    kind: 'ok',
    detail: 'containers: docker and containerlab are on this machine',
  });
  expect(await found({}, { cli: 'containerlab' })).toMatchObject({ kind: 'ok' });
  expect(await found({}, { cli: 'engine' })).toMatchObject({ kind: 'skipped' });
  expect(await found({}, { setting: 'namespaces' })).toMatchObject({
    kind: 'failed',
    detail: expect.stringMatching(/^namespaces: LAB_API_RUNTIME=namespaces, and labs in namespaces need /),
  });
});

(isRoot ? describe : describe.skip)('namespaces (needs root)', () => {
  const why = 'namespaces: docker is not on this machine';

  test('with FRR', async () => {
    const detail = `${why}; routers run FRR 10.5.1`;
    expect(await found(system, { version: '10.5.1' })).toEqual({ kind: 'ok', detail });
    expect(await found(system, { version: '8.4.4' })).toEqual({
      kind: 'ok',
      detail: `${why}; routers run FRR 8.4.4, and some tests of netlab want 10.5 or newer`,
    });
  });

  test('without FRR, and with one that runs on the machine itself', async () => {
    expect(await found(system, {})).toMatchObject({
      kind: 'warning',
      detail: expect.stringMatching(/; without .*\/zebra, labs have no routers$/),
    });
    expect(await found(system, { version: '10.3', proc: ofMachine })).toEqual({
      kind: 'warning',
      detail: `${why}; routers run FRR 10.3, which also runs on the machine itself and may change its routes`,
      remedy: 'systemctl disable --now frr',
    });
  });
});
