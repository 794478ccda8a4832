import { beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { remainsOfLab, removeManagementNetwork } from '../../../../../src/labs/drivers/netlab/lab-remains.ts';
import { runCaptured } from '../../../../../src/labs/system/run.ts';
import { writeProgram } from '../../../../support/programs.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let place: string;
let workdir: string;

/** What the `docker` of a test does. */
function docker(script: string): void {
  writeProgram(path.join(place, 'bin/docker'), script);
}

/** A `docker ps` that shows these containers: name, topology file, mounts. */
function containers(...rows: readonly (readonly string[])[]): void {
  const file = path.join(place, 'containers');
  writeFileSync(file, rows.map((row) => `${row.join('\t')}\n`).join(''));
  docker(`[ "$1 $2" = "ps --all" ] && cat '${file}'`);
}

async function remains(timeoutMs = 20_000): Promise<string | undefined> {
  const env = { PATH: `${place}/bin:/usr/bin:/bin` };
  const look = async (program: string, args: readonly string[]) =>
    runCaptured(path.join(place, 'bin', program), args, { env, timeoutMs });
  return remainsOfLab({ workdir, look }, path.join(place, 'net'));
}

beforeEach(() => {
  place = mkdtempSync(path.join(root, 'case-'));
  workdir = path.join(place, 'lab');
  for (const name of ['lab', 'net', 'net/demo_2', 'net/demo_x', 'net/br0']) mkdirSync(path.join(place, name));
});

test('containers by the topology file that is their label', async () => {
  containers(
    ['clab-demo-r1', `${workdir}/clab.yml`, '/elsewhere'],
    ['clab-demo-r2', '/labs/other/clab.yml', `${workdir}/node_files/r2/initial`],
    ['clab-demo-r3', `${workdir}/below/clab.yml`, ''],
  );
  expect(await remains()).toBe('the containers clab-demo-r1');
});

test('containers by the configurations of the lab that they have mounted', async () => {
  containers(
    ['clab-demo-r1', '', `/etc/hosts,${workdir}/node_files/r1/initial`],
    ['clab-demo-r2', '', `${workdir}/clab-demo/r2/config`],
    ['clab-demo-r3', '', `${workdir}2/node_files/r3/initial,${workdir}/motd`],
  );
  expect(await remains()).toBe('the containers clab-demo-r1, clab-demo-r2');
});

test.each([
  ['there is no docker', undefined],
  ['there is none', ''],
])('no container is seen where %s', async (_what, script) => {
  if (script !== undefined) docker(script);
  expect(await remains()).toBeUndefined();
});

test('nobody waits for a docker that hangs', async () => {
  docker('sleep 1000');
  expect(await remains(50)).toBeUndefined();
});

/** What the test wants on this machine: network devices of these names; and a topology of containerlab with that text. */
function bridges(devices: readonly string[], topology: string): void {
  for (const name of devices) mkdirSync(path.join(place, 'net', name), { recursive: true });
  writeFileSync(path.join(workdir, 'clab.yml'), topology);
}

test('bridges that netlab named after the lab', async () => {
  const nodes = ['demo_2', 'demo_3', 'demo_x', 'br0'].map((name) => `    ${name}: { kind: bridge }\n`);
  bridges([], `name: demo\ntopology:\n  nodes:\n${nodes.join('')}`);
  containers(['clab-demo-r1', `${workdir}/clab.yml`, '']);
  expect(await remains()).toBe('the containers clab-demo-r1 and the bridges demo_2');
});

test('of a longer name, the beginning; a number behind it, and nothing else that is a bridge', async () => {
  const names = ['long-name-_12', 'long-name-_x1', 'long-name-_1x', 'long-name-_3', 'long-name-_4'];
  const kinds = ['bridge', 'bridge', 'bridge', 'linux', 'bridge'];
  const nodes = names.map((name, index) => `    ${name}: { kind: ${kinds[index]} }\n`);
  bridges(
    [...names, 'long-name-_5'],
    `name: long-name-of-a-lab\ntopology:\n  nodes:\n${nodes.join('')}    long-name-_5:\n`,
  );
  expect(await remains()).toBe('the bridges long-name-_12, long-name-_4');
});

test.each([
  '',
  'name: [',
  '7',
  'topology: { nodes: { _1: { kind: bridge } } }',
  'name: demo',
  'name: demo\ntopology: 7',
  'name: demo\ntopology: { nodes: [demo_2] }',
])('no bridge is named by %j', async (topology) => {
  bridges(['_1', 'demo_2', 'undefined_1'], topology);
  expect(await remains()).toBeUndefined();
});

test('a docker that fails lists no container, whatever it printed', async () => {
  containers(['clab-demo-r1', `${workdir}/clab.yml`, '']);
  docker(`cat '${path.join(place, 'containers')}'; exit 1`);
  expect(await remains()).toBeUndefined();
});

describe('the management network of a lab with a multilab id', () => {
  /** A Docker with the network of lab 7 and these containers in it; `rm` ends with that code. */
  function network(users: string, rmExit = 0): void {
    docker(`
case "$1 $2" in
  'ps --all') printf '%s' '${users}' ;;
  'network rm') echo "$*" >>'${place}/removed'; [ ${rmExit} = 0 ] && rmdir '${place}/net/nl_mgmt_7'; exit ${rmExit} ;;
  'network ls') [ -e '${place}/net/nl_mgmt_7' ] && echo nl_mgmt_7; exit 0 ;;
esac`);
    mkdirSync(path.join(place, 'net/nl_mgmt_7'));
  }

  async function left(instance: string | null, isTaken = false): Promise<readonly string[]> {
    const env = { PATH: `${place}/bin:/usr/bin:/bin` };
    const look = async (program: string, args: readonly string[]) =>
      runCaptured(path.join(place, 'bin', program), args, { env, timeoutMs: 20_000 });
    return removeManagementNetwork({ instance, look }, async () => isTaken, path.join(place, 'net'));
  }

  test('is removed when no container is in it', async () => {
    network('');
    expect(await left('7')).toEqual([]);
    expect(readFileSync(`${place}/removed`, 'utf8')).toBe('network rm nl_mgmt_7\n');
  });

  test('is named when containers are in it, stopped ones too, or Docker keeps it', async () => {
    network('web\ndb');
    expect(await left('7')).toEqual([
      expect.stringMatching(/"nl_mgmt_7" .* because containers use it: web, db/),
    ]);
    expect(existsSync(`${place}/removed`)).toBe(false);
    rmSync(path.join(place, 'net/nl_mgmt_7'), { recursive: true });
    network('', 1);
    expect(await left('7')).toEqual([expect.stringContaining('"docker network rm nl_mgmt_7" removes it')]);
  });

  test('is left to a lab that has the id again, and that of labs without an id to all of them', async () => {
    network('');
    expect(await left('7', true)).toEqual([]);
    expect(await left('default')).toEqual([]);
    expect(await left(null)).toEqual([]);
    expect(existsSync(`${place}/removed`)).toBe(false);
  });

  test('is not looked for without Docker, but its bridge is', async () => {
    expect(await left('7')).toEqual([]);
    mkdirSync(path.join(place, 'net/nl_mgmt_7'));
    expect(await left('7')).toHaveLength(1);
  });
});
