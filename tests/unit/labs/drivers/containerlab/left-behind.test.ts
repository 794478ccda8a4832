/** What is left of a lab that was taken away; tests/integration/containerlab-leftovers.test.ts has it of the real containerlab. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { leftBehind } from '../../../../../src/labs/drivers/containerlab/left-behind.ts';
import type { RunResult } from '../../../../../src/labs/run.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'lab-api-left-'));

function topologyOf(text: string): string {
  const file = path.join(mkdtempSync(path.join(directory, 'file-')), 'demo.clab.yml');
  writeFileSync(file, text);
  return file;
}

const printed = (text: string): RunResult => ({
  exitCode: 0,
  signal: null,
  stdout: Buffer.from(text),
  stderr: Buffer.alloc(0),
  ended: null,
  spawnError: null,
});

/** A Docker with these networks of containerlab, and these containers by the network that they use. */
function dockerWith(networks: readonly string[], users: Readonly<Record<string, string>> = {}) {
  return async (_program: string, args: readonly string[]): Promise<RunResult> => {
    if (args[0] === 'network') return printed(networks.map((name) => `${name}\n`).join(''));
    const network = args.find((one) => one.startsWith('network='))?.slice('network='.length) ?? '';
    return printed(users[network] ?? '');
  };
}

const own = 'name: demo\nmgmt: { network: demo-net }\ntopology: { nodes: {} }\n';

async function leftOf({
  text = own,
  look = dockerWith(['clab', 'demo-net', 'other']),
  more = [],
}: {
  text?: string;
  look?: ReturnType<typeof dockerWith>;
  more?: readonly string[];
}) {
  const command = ['containerlab', 'destroy', '--topo', topologyOf(text), ...more];
  return leftBehind({ command, logEnd: '', look });
}

describe('the management network', () => {
  test('that no container uses is told of, with what removes it', async () => {
    expect(await leftOf({})).toEqual([
      expect.stringMatching(/^the management network "demo-net" .* "docker network rm demo-net" removes it$/),
    ]);
  });

  test.each([
    ['is gone', { look: dockerWith(['demo-net-2']) }],
    [
      'is used, by a container that may be stopped',
      { look: dockerWith(['demo-net'], { 'demo-net': '1a2b\n' }) },
    ],
    ['was to stay', { more: ['--keep-mgmt-net'] }],
    ['other nodes of the lab may use', { more: ['--node-filter', 'r1'] }],
    ['is that of all labs whose topologies name none', { text: 'name: demo\nmgmt: { mtu: 1400 }\n' }],
    ['is in a template', { text: 'name: demo\nmgmt: { network: {{ .net }} }\n' }],
    ['is in a template that is YAML', { text: '# {{ if false }}\nmgmt: { network: demo-net }\n# {{ end }}' }],
    ['has a variable for its name', { text: 'mgmt: { network: "${NET:=demo-net}" }\n' }],
    ['has a name that is an option', { text: 'mgmt: { network: --help }\n', look: dockerWith(['--help']) }],
    ['has a name that is a list', { text: 'mgmt: { network: [demo-net] }\n' }],
    ['is in a file of too many levels', { text: `mgmt: { network: demo-net }\nx: ${'['.repeat(2000)}` }],
  ])('that %s is not', async (_what, how) => {
    expect(await leftOf(how)).toEqual([]);
  });

  test('is not where Docker does not tell, nor where the file is gone, nor without one', async () => {
    const failed = async (): Promise<RunResult> => ({ ...printed(''), exitCode: 1 });
    expect(await leftOf({ look: failed })).toEqual([]);
    const look = dockerWith(['clab', 'demo']);
    const gone = ['containerlab', 'destroy', '--topo', path.join(directory, 'gone.clab.yml')];
    for (const command of [gone, ['containerlab', 'destroy', '--name', 'demo'], ['x', '--topo']])
      expect(await leftBehind({ command, logEnd: '', look })).toEqual([]);
  });
});

test('a namespace that is not there is not told of', async () => {
  const logEnd = '21:30:00 INFO Removed container name=clab-never-was-here\n';
  expect(await leftBehind({ command: [], logEnd, look: dockerWith([]) })).toEqual([]);
});

test('without its topology, not all of a lab is removed', async () => {
  const log = (name: string) =>
    `21:30:00 INFO Removing SSH config path=/etc/ssh/ssh_config.d/clab-${name}.conf\n`;
  const ofName = { command: ['containerlab', 'destroy', '--name', 'never-was-here'], look: dockerWith([]) };
  expect(await leftBehind({ ...ofName, logEnd: log('') })).toEqual([
    expect.stringMatching(
      /^containerlab found no topology of the lab, and removed its containers alone\. A man/,
    ),
  ]);
  expect(await leftBehind({ ...ofName, logEnd: log('never-was-here') })).toEqual([]);
});
