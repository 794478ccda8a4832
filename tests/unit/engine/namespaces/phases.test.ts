import { describe, expect, test } from '@jest/globals';
import type { Lab } from '../../../../src/engine/core/lab.ts';
import {
  namespacesOf,
  phaseOfDown,
  phasesOfUp,
  renderPhases,
  renderScript,
} from '../../../../src/engine/namespaces/phases.ts';
import { handMadeLab } from '../../../support/engine-lab.ts';

const batchOf = (lab: Lab, index: number): readonly string[] => {
  const phase = phasesOfUp(lab)[index];
  if (phase?.kind !== 'batch') throw new Error('not a batch');
  return phase.lines;
};
const scriptsOf = (lab: Lab): readonly string[] => {
  const phase = phasesOfUp(lab)[2];
  if (phase?.kind !== 'scripts') throw new Error('no scripts');
  return phase.scripts.map(renderScript);
};

describe('namespaces', () => {
  test('are one for each node, named after the instance', () => {
    const lab = handMadeLab({ instance: '7', links: [['h1', 'h2']] });
    expect(namespacesOf(lab)).toEqual(['lab-7-h1', 'lab-7-h2']);
    expect(batchOf(lab, 0)).toEqual(['netns add lab-7-h1', 'netns add lab-7-h2']);
  });

  test('are one more when there is a bridge or a stub', () => {
    for (const links of [[['h1', 'h2', 'h3']], [['h1', 'h2'], ['h1']]]) {
      expect(namespacesOf(handMadeLab({ links })).at(-1)).toBe('lab-default-.switch');
    }
  });
});

describe('links', () => {
  test('with two ends are a pair, each end made in its namespace', () => {
    expect(batchOf(handMadeLab({ links: [['h1', 'h2']] }), 1)).toEqual([
      'link add eth1 netns lab-default-h1 type veth peer name eth1 netns lab-default-h2',
    ]);
  });

  test('with more ends are a bridge, and with one a port that leads nowhere', () => {
    const lab = handMadeLab({ links: [['h1', 'h2', 'h3'], ['h1']] });
    const hub = 'lab-default-.switch';
    expect(batchOf(lab, 1)).toEqual([
      `link add br1 netns ${hub} type bridge`,
      `link add eth1 netns lab-default-h1 type veth peer name l1e1 netns ${hub}`,
      `link add eth1 netns lab-default-h2 type veth peer name l1e2 netns ${hub}`,
      `link add eth1 netns lab-default-h3 type veth peer name l1e3 netns ${hub}`,
      `link add eth2 netns lab-default-h1 type veth peer name l2e1 netns ${hub}`,
    ]);
    const [hubScript] = scriptsOf(lab);
    expect(hubScript).toContain('link set br1 up\nlink set l1e1 master br1 up\n');
    expect(hubScript).toContain('\nlink set l2e1 up\n');
  });

  test('have names that the kernel takes, however long those of the nodes are', () => {
    const lab = handMadeLab({ links: Array.from({ length: 1_200 }, () => ['h-sixteen-chars1', 'h2', 'h3']) });
    const names = batchOf(lab, 1).flatMap((text) =>
      /^link add (\S+).*? name (\S+)|^link add (\S+)/.exec(text)!.slice(1),
    );
    expect(names.length).toBeGreaterThan(3_600);
    expect(names.filter((name) => (name ?? '').length >= 16)).toEqual([]);
  });
});

describe('nodes', () => {
  const base = handMadeLab({
    links: [
      ['h1', 'r1'],
      ['r1', 'h2'],
    ],
    ipv6: true,
  });
  const nodes = base.nodes.map((node) =>
    node.name === 'r1' ? { ...node, loopback: { ipv4: '10.0.0.1/32', ipv6: 'fd01::1/128' } } : node,
  );
  const scripts = scriptsOf({ ...base, nodes });

  test('forward when they are routers, and only then', () => {
    expect(scripts[0]).toContain('echo 0 >/proc/sys/net/ipv4/ip_forward');
    expect(scripts[0]).toContain('echo 0 >/proc/sys/net/ipv6/conf/all/forwarding');
    expect(scripts[1]).toContain('echo 1 >/proc/sys/net/ipv4/ip_forward');
    expect(scripts[1]).toContain('echo 1 >/proc/sys/net/ipv6/conf/all/forwarding');
  });

  test('have their addresses before their routes', () => {
    const lines = scripts[1]!.split('\n');
    const at = (text: string): number => lines.indexOf(text);
    expect(at('addr add 10.0.0.1/32 dev lo')).toBeGreaterThan(at('link set lo up'));
    expect(at('addr add fd01::1/128 dev lo')).toBeGreaterThan(0);
    expect(at('addr add fd00:0:1::2/64 dev eth1')).toBeGreaterThan(at('link set eth1 up'));
    expect(scripts[0]).toMatch(
      /addr add 10\.100\.1\.1\/24 dev eth1\n.*\nroute add 10\.100\.2\.0\/24 via 10\.100\.1\.2\n/,
    );
  });

  test('get their MTU, and ports of bridges one that lets larger packets pass', () => {
    const withMtu = (mtu: number) => {
      const lab = handMadeLab({ links: [['h1', 'h2', 'h3']] });
      const [first, ...others] = lab.nodes;
      const interfaces = first!.interfaces.map((each) => ({ ...each, mtu }));
      return phasesOfUp({ ...lab, nodes: [{ ...first!, interfaces }, ...others] });
    };
    const [, links, scriptPhase] = withMtu(9000);
    expect(JSON.stringify(scriptPhase)).toContain('"link set eth1 mtu 9000 up"');
    expect(JSON.stringify(links)).toMatch(/peer name l1e2 mtu 9216 netns/);
    expect(JSON.stringify(withMtu(1400)[1])).not.toContain('mtu');
  });

  test('do without IPv6 on a kernel that has none, unless the lab needs it', () => {
    expect(scripts[0]).not.toContain('if [ -d /proc/sys/net/ipv6 ]');
    const [plain] = scriptsOf(handMadeLab({ links: [['h1', 'h2']] }));
    expect(plain).toContain('if [ -d /proc/sys/net/ipv6 ]; then');
  });

  test('with names that could be anything else are a bug', () => {
    for (const name of ['a b', '../x', 'x;reboot', '.switch', '', '-x']) {
      const bad = { ...base, nodes: [{ ...base.nodes[0]!, name }] };
      expect(() => phasesOfUp(bad)).toThrow('not a name that may go into a command');
    }
    expect(() => phasesOfUp({ ...base, instance: 'a-b' })).toThrow('not a name');
  });
});

test('a script runs its commands and then its batch inside the namespace, and names it when one fails', () => {
  const script = { namespace: 'lab-7-h1', commands: ['echo 1 >/a', 'echo 2 >/b'], batch: ['link set lo up'] };
  expect(renderScript(script))
    .toBe(`nsenter --net=/run/netns/lab-7-h1 sh -eu <<'EOF' || { echo 'cannot configure lab-7-h1' >&2; exit 1; }
echo 1 >/a
echo 2 >/b
exec ip -batch - <<'END'
link set lo up
END
EOF
`);
});

describe('the text', () => {
  test('is for sh, in order, and says nothing of a phase without commands', () => {
    const text = renderPhases(phasesOfUp(handMadeLab({ links: [['h1', 'h2']] })));
    expect(text).toMatch(
      /^ip -batch - <<'END'\nnetns add lab-default-h1\nnetns add lab-default-h2\nEND\nip -batch/,
    );
    expect(text).toMatch(/\nEND\nEOF\n$/);
    expect(renderPhases([phaseOfDown([])])).toBe('');
    expect(renderPhases([phaseOfDown(['a', 'b'])])).toBe(
      "ip -batch - <<'END'\nnetns del a\nnetns del b\nEND\n",
    );
  });
});
