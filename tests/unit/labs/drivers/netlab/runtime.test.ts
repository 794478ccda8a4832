import { expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../../src/labs/drivers/netlab/netlab.ts';
import {
  labsInNamespaces,
  runtimeInForce,
  withOldFrr,
  withoutModules,
} from '../../../../../src/labs/drivers/netlab/runtime.ts';
import { programDirectory } from '../../../../support/doctor.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const isRoot = process.getuid?.() === 0;

test('netlab looks for no modules of the kernel, except for those that the environment names', () => {
  const given = withoutModules({ NETLAB_PROVIDERS_CLAB_KMODS_VRF: '[vrf]' });
  expect(given['NETLAB_DEVICES_FRR_CLAB_KMODS_INITIAL']).toBe('[]');
  expect(Object.keys(given)).not.toContain('NETLAB_PROVIDERS_CLAB_KMODS_VRF');
});

test('labs in namespaces are known by their directories; one that is being made is not', () => {
  const records = {
    'clab.a': '{"file":"/labs/a/clab.yml","frr":"10.3"}',
    'clab.b': '{"fi',
    lab_default: '{}',
  };
  for (const [name, text] of Object.entries(records)) {
    mkdirSync(path.join(root, 'claims', name), { recursive: true });
    writeFileSync(path.join(root, 'claims', name, 'lab.json'), text);
  }
  expect(labsInNamespaces(path.join(root, 'claims'))).toEqual(new Map([['/labs/a', { frr: '10.3' }]]));
  expect(labsInNamespaces(path.join(root, 'none'))).toEqual(new Map());
});

const docker = { docker: '', containerlab: '' };
const system = { ip: '', nsenter: '', unshare: '' };
const force = (setting: string, programs: Readonly<Record<string, string>>) =>
  runtimeInForce({ LAB_API_RUNTIME: setting, PATH: programDirectory(root, programs) });

test('auto takes containers where Docker and containerlab are', () => {
  expect(force('auto', { ...docker, ...system })).toEqual({
    runtime: 'containers',
    why: 'docker and containerlab are on this machine',
  });
  expect(force('containers', system)).toEqual({ runtime: 'containers', why: 'LAB_API_RUNTIME=containers' });
});

(isRoot ? test : test.skip)('auto takes namespaces where there is no Docker (needs root)', () => {
  expect(force('auto', { ...system, docker: '' })).toEqual({
    runtime: 'namespaces',
    why: 'containerlab is not on this machine',
  });
  const obstacle = 'labs in namespaces need the program "ip"';
  expect(force('auto', {})).toEqual({ runtime: 'containers', why: obstacle });
  expect(force('namespaces', docker)).toMatchObject({ runtime: 'namespaces', obstacle });
});

test.each([
  [{ dir: '/nowhere', providers: ['clab'], status: 'started' }, 'containers'],
  [{ dir: '/nowhere', providers: ['clab'], status: 'starting provider clab' }, null],
  [{ dir: '/nowhere', providers: ['libvirt'], status: 'started' }, null],
])('the lab %j runs in %s', (entry, runtime) => {
  expect(netlab.runtimes?.of(entry)).toBe(runtime);
});

test('labs in containers need the real programs, although the others are on the PATH of netlab', () => {
  const standIns = path.resolve('dist/engine/runtime');
  const looked = (runtime: string): unknown =>
    netlab.runtimes?.searchPath?.({ LAB_API_RUNTIME: runtime }, `${standIns}:/usr/bin`);
  expect(looked('containers')).toBe('/usr/bin');
  expect(looked('namespaces')).toBe(`${standIns}:/usr/bin`);
});

test('a failed validation names a FRR that is older than netlab expects', () => {
  const labs = new Map([
    ['/labs/a', { frr: '8.4.4' }],
    ['/labs/b', { frr: '10.7.1' }],
    ['/labs/c', {}],
  ]);
  const of = (action: 'validate' | 'up', workdir: string): string =>
    withOldFrr('test ping failed', { action, workdir }, labs);
  expect(of('validate', '/labs/a')).toBe(
    'test ping failed (the routers run FRR 8.4.4, netlab expects 10.7: a newer one may mend this)',
  );
  for (const [action, workdir] of [
    ['up', '/labs/a'],
    ['validate', '/labs/b'],
    ['validate', '/labs/c'],
    ['validate', '/labs/d'],
  ] as const)
    expect(of(action, workdir)).toBe('test ping failed');
});
