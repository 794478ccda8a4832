/** What is left of a lab that was taken away; tests/integration/containerlab-leftovers.test.ts has it of the real containerlab. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { leftBehind } from '../../../../../src/labs/drivers/containerlab/left-behind.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { printed } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const down = { instance: 'demo', env: {} };

function topologyOf(text: string): string {
  const file = path.join(mkdtempSync(path.join(directory, 'file-')), 'demo.clab.yml');
  writeFileSync(file, text);
  return file;
}

/** A Docker with these networks of containerlab, these containers by the network that they use, and these by their names. */
function dockerWith(
  networks: readonly string[],
  users: Readonly<Record<string, string>> = {},
  containers: readonly string[] = [],
) {
  return async (_program: string, args: readonly string[]): Promise<RunResult> => {
    if (args[0] === 'network') return printed(networks.map((name) => `${name}\n`).join(''));
    if (args[0] === 'container') {
      const asked = args.filter((one) => containers.includes(one));
      return printed(asked.map((name) => `/${name}\texited\t0\n`).join(''));
    }
    const network = args.find((one) => one.startsWith('network='))?.slice('network='.length) ?? '';
    return printed(users[network] ?? '');
  };
}

const own = 'name: demo\nmgmt: { network: demo-net }\ntopology: { nodes: {} }\n';

async function leftOf({
  text = own,
  look = dockerWith(['clab', 'demo-net', 'other']),
  more = [],
  logEnd = '',
}: {
  text?: string;
  logEnd?: string;
  look?: ReturnType<typeof dockerWith>;
  more?: readonly string[];
}) {
  const command = ['containerlab', 'destroy', '--topo', topologyOf(text), ...more];
  return leftBehind({ ...down, command, logEnd, look });
}

describe('the management network', () => {
  test('that no container uses is told of, with what removes it', async () => {
    expect(await leftOf({})).toEqual([
      expect.stringMatching(/^the management network "demo-net" .* "docker network rm demo-net" removes it$/),
    ]);
  });

  test.each(['', 'mgmt: { mtu: 1400 }\n', 'mgmt:\n', 'mgmt: { network: }\n'])(
    'that labs share whose topologies name no network is named, too: "%s"',
    async (mgmt) => {
      expect(await leftOf({ text: `name: demo\n${mgmt}topology: { nodes: {} }\n` })).toEqual([
        expect.stringMatching(/^the management network "clab" .* "docker network rm clab" removes it$/),
      ]);
    },
  );

  test('is looked for among those of containerlab, and its containers, stopped ones too', async () => {
    const asked: string[] = [];
    const docker = dockerWith(['demo-net']);
    const look: typeof docker = async (program, args) => {
      asked.push([program, ...args].join(' '));
      return docker(program, args);
    };
    expect(await leftOf({ look })).toHaveLength(1);
    expect(asked).toEqual([
      'docker network ls --filter label=containerlab --format {{.Name}}',
      'docker ps --all --filter network=demo-net --format {{.ID}}',
    ]);
  });

  test('that Docker lists is told of only where it also tells of the containers', async () => {
    const docker = dockerWith(['demo-net']);
    const look: typeof docker = async (program, args) =>
      args[0] === 'ps' ? { ...printed(''), exitCode: 1 } : docker(program, args);
    expect(await leftOf({ look })).toEqual([]);
  });

  test('is told of also where the topology is reached by a link', async () => {
    const link = path.join(directory, 'link.clab.yml');
    symlinkSync(topologyOf(own), link);
    const command = ['containerlab', 'destroy', '--topo', link];
    expect(await leftBehind({ ...down, command, logEnd: '', look: dockerWith(['demo-net']) })).toHaveLength(
      1,
    );
  });

  test.each([
    ['is in a file that is no topology', { text: '[1, 2]\n' }],
    ['is in an empty file', { text: '' }],
    ['is gone', { look: dockerWith(['demo-net-2']) }],
    [
      'is used, by a container that may be stopped',
      { look: dockerWith(['demo-net'], { 'demo-net': '1a2b\n' }) },
    ],
    [
      'is that of all such labs, and was removed with the last container: it is there for another lab',
      { text: 'name: demo\n', logEnd: '21:30:00 INFO Removed container name=clab-demo-r1\n' },
    ],
    ['was to stay', { more: ['--keep-mgmt-net'] }],
    ['other nodes of the lab may use', { more: ['--node-filter', 'r1'] }],
    [
      'is that of all labs whose topologies name none, with a container',
      { text: 'name: demo\n', look: dockerWith(['clab'], { clab: '1a2b\n' }) },
    ],
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
      expect(await leftBehind({ ...down, command, logEnd: '', look })).toEqual([]);
  });
});

describe('of a lab', () => {
  const namespaces = mkdtempSync(path.join(directory, 'netns-'));
  const sshConfig = mkdtempSync(path.join(directory, 'ssh-'));
  /** As containerlab has them: links into /proc, which lead nowhere once the container is gone. */
  for (const name of ['clab-park-clab-demo-r1', 'clab-park-clab-demo-r2', 'clab-demo-r2', 'clab-park-other'])
    symlinkSync('/proc/0/ns/net', path.join(namespaces, name));
  writeFileSync(path.join(sshConfig, 'clab-demo.conf'), '');

  const removed = (name: string): string =>
    `21:30:00 \u001b[32mINFO\u001b[0m Removed container name=${name}\n`;
  const withoutTopology = (lab: string): string =>
    `21:30:00 INFO Removing SSH config path=/etc/ssh/ssh_config.d/clab-${lab}.conf\n`;
  const stopped = dockerWith([], {}, ['clab-demo-r1', 'clab-demo-r2']);
  const leftBy = async (logEnd: string, command: readonly string[] = [], look = stopped) =>
    leftBehind({ ...down, command, logEnd, look }, { namespaces, sshConfig });

  test('the namespaces of nodes that were stopped are told of, with what removes them', async () => {
    const log = ['clab-demo-r1', 'clab-demo-h1', 'clab-demo-r1', 'clab-demo-r2'].map(removed).join('');
    expect(await leftBy(log)).toEqual([
      expect.stringMatching(
        /: clab-park-clab-demo-r1, clab-park-clab-demo-r2\. "ip netns delete NAME" removes one$/,
      ),
    ]);
    expect(await leftBy(removed('clab-demo-h1'))).toEqual([]);
    // Something else has removed r1, or an earlier job.
    const withoutFirst = dockerWith([], {}, ['clab-demo-r2']);
    expect(await leftBy('', [], withoutFirst)).toEqual([
      expect.stringMatching(/: clab-park-clab-demo-r1\. /),
    ]);
    const silent = async (): Promise<RunResult> => ({ ...printed(''), exitCode: 1, spawnError: 'ENOENT' });
    expect(await leftBy('', [], silent)).toEqual([]);
    // What a node was called in a sentence of somebody else is no word of containerlab's.
    expect(await leftBy('21:30:00 INFO Removed container name=clab-demo-r1 "x"\n')).toEqual([]);
  });

  test('without its topology, not all is removed', async () => {
    const ofName = (name: string) => ['containerlab', 'destroy', '--name', name];
    const log = `${withoutTopology('')}${removed('clab-demo-h1')}${removed('clab-demo-r2')}`;
    const [told, ...others] = (await leftBy(log, ofName('demo'))).toReversed();
    expect(told).toContain('removed its containers alone. Still there: ');
    expect(told).toContain(
      `${path.join(sshConfig, 'clab-demo.conf')}, ${path.join(namespaces, 'clab-demo-r2')}. A management network`,
    );
    expect(others).toEqual([expect.stringContaining('clab-park-clab-demo-r2')]);
    expect(await leftBy(withoutTopology(''), ofName('never-was-here'))).toEqual([
      expect.stringMatching(
        /^containerlab found no topology of the lab, and removed its containers alone\. A man/,
      ),
    ]);
    expect(await leftBy(withoutTopology('never-was-here'), ofName('never-was-here'))).toEqual([]);
    expect(await leftBy(withoutTopology(''))).toEqual([]);
  });
});
