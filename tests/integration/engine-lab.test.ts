import { describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  lab,
  leftovers,
  missingForLabs,
  placeFor,
  startLab,
  uniqueInstance,
  unreachable,
} from '../support/engine-cli.ts';
import { routerLine, triangle } from '../support/engine-lab.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { leftOut } from '../support/thorough.ts';
import { labOf } from '../support/topologies.ts';

const { because, it, placed, prepared, root } = preparedLabs();

const addressesOf = (namespace: string): string[] => {
  const text = execFileSync('ip', ['-n', namespace, '-br', 'addr'], { encoding: 'utf8' });
  return text.split('\n').map((row) =>
    row
      .replaceAll(/@if\d+|fe80::\S+/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
};
const routesOf = (namespace: string): string =>
  execFileSync('ip', ['-n', namespace, 'route'], { encoding: 'utf8' }).replaceAll(/[ \t]+/g, ' ');

describe('a lab', () => {
  it(`of two hosts carries packets${because}`, async () => {
    const { where, instance } = prepared('two', { links: [['h1', 'h2']] });
    const up = await lab(where, ['up', '--snapshot']);
    expect(up).toMatchObject({ exitCode: 0, stderr: '' });
    expect(up.stdout).toMatch(
      /Creating 2 nodes\nCreating 1 link\nConfiguring 2 nodes\nLab \w+ is up: 2 nodes, 1 link, /,
    );
    expect(await unreachable(where, ['h1', 'h2'])).toEqual([]);
    const down = await lab(where, ['down']);
    expect(down).toMatchObject({ exitCode: 0, stderr: '' });
    expect(leftovers(where, instance)).toEqual([]);
    expect(await lab(where, ['down'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('nothing to do'),
    });
  });

  it(`of three routers forwards between all its nodes, in both families${because}`, async () => {
    const { where } = prepared('tri', { links: triangle, ipv6: true });
    expect(await lab(where, ['up', '--snapshot', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(await unreachable(where, ['h1', 'h2', 'h3', 'r1', 'r2', 'r3'])).toEqual([]);
    const script =
      'ping -n -6 -c1 -W2 fd00:0:6::1; cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding';
    const asked = async (node: string) => (await lab(where, ['exec', node, '--', 'sh', '-c', script])).stdout;
    expect(await asked('h1')).toMatch(/ 1 received[^]*\n0\n0\n$/);
    expect(await asked('r1')).toMatch(/ 1 received[^]*\n1\n1\n$/);
  });

  it(`with a bridge and a stub, and names of 16 characters${because}`, async () => {
    const names = ['h-sixteen-chars1', 'h-sixteen-chars2', 'h-sixteen-chars3', 'r-sixteen-chars4'];
    const { where, instance } = prepared('lan', { links: [names, [names[3]!]] });
    expect((await lab(where, ['up', '--snapshot'])).exitCode).toBe(0);
    expect(await unreachable(where, names)).toEqual([]);
    const { stdout } = await lab(where, ['exec', names[0]!, '--', 'ping', '-n', '-c1', '-W2', '10.100.2.1']);
    expect(stdout).toContain('1 received');
    expect(execFileSync('ip', ['-br', 'link'], { encoding: 'utf8' })).not.toMatch(
      new RegExp(`br1|${instance}`),
    );
  });

  it(`stays when the terminal and the command that started it are gone${because}`, async () => {
    const { where } = prepared('stay', { links: [['h1', 'h2']] });
    const child = startLab(where, ['up', '--snapshot']);
    child.stdout!.destroy();
    const exitCode = await new Promise((resolve) => child.once('exit', resolve));
    expect(exitCode).toBe(0);
    expect(await unreachable(where, ['h1', 'h2'])).toEqual([]);
  });

  it(`is started anew by a second up, and refused in another directory${because}`, async () => {
    const { where, instance, made } = prepared('again', { links: [['h1', 'h2']] });
    await lab(where, ['up', '--snapshot']);
    execFileSync('ip', ['netns', 'del', `lab-${instance}-h2`]);
    const again = await lab(where, ['up', '--snapshot']);
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is already up: starting it again'),
    });
    expect(await unreachable(where, ['h1', 'h2'])).toEqual([]);
    const elsewhere = placeFor(root, made, `${instance}-elsewhere`);
    const refused = await lab(elsewhere, ['up', '--snapshot']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(`is already running in ${where.directory}`);
    const sameDirectory = placeFor(
      root,
      { ...made, instance: uniqueInstance('other') },
      path.basename(where.directory),
    );
    expect((await lab(sameDirectory, ['up', '--snapshot'])).stderr).toContain(
      'is already running in this directory',
    );
    expect(await unreachable(where, ['h1', 'h2'])).toEqual([]);
  });

  it(`does not disturb another that starts and stops at the same time${because}`, async () => {
    const labs = [prepared('left', { links: triangle }), prepared('right', { links: triangle })];
    const ups = await Promise.all(labs.map(({ where }) => lab(where, ['up', '--snapshot'])));
    expect(ups.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const all = JSON.parse((await lab(labs[0]!.where, ['status', '--all', '--format', 'json'])).stdout);
    expect(Object.keys(all)).toEqual(expect.arrayContaining(labs.map(({ instance }) => instance)));
    const [first, second] = labs;
    const [down, failed] = await Promise.all([
      lab(first!.where, ['down']),
      unreachable(second!.where, ['h1', 'h2', 'h3']),
    ]);
    expect([down.exitCode, failed]).toEqual([0, []]);
    expect(leftovers(first!.where, first!.instance)).toEqual([]);
  });
});

describe('up --dry-run', () => {
  it(`prints the very commands that make the lab${because}`, async () => {
    const links = [...triangle, ['h1', 'h2', 'h3'], ['h1']];
    const { where, instance, made } = prepared('dry', { links, ipv6: true });
    const { stdout } = await lab(where, ['up', '--snapshot', '--dry-run']);
    expect(leftovers(where, instance)).toEqual([]);
    const observe = () =>
      made.nodes.map(({ name }) => [
        addressesOf(`lab-${instance}-${name}`),
        routesOf(`lab-${instance}-${name}`),
      ]);
    await lab(where, ['up', '--snapshot']);
    const byUp = observe();
    await lab(where, ['down']);
    execFileSync('sh', ['-eu'], { input: stdout });
    const byHand = observe();
    for (const name of readdirSync('/run/netns').filter((entry) => entry.startsWith(`lab-${instance}-`))) {
      execFileSync('ip', ['netns', 'del', name]);
    }
    expect(byHand).toEqual(byUp);
  });
});

describe('a router whose link was shut', () => {
  it(`says that the network is unreachable, instead of sending packets in circles${because}`, async () => {
    const instance = uniqueInstance('shut');
    const made = labOf(
      `addressing: {lan: {ipv4: 172.16.0.0/16, ipv6: fd00:1::/48}, p2p: {ipv4: 10.1.0.0/16, ipv6: fd00:2::/48}}
nodes: {h1: , h2: , r1: {role: router}, r2: {role: router}}
links: [h1-r1, h2-r2, r1-r2]`,
    );
    const where = placed({ ...made, instance });
    expect(await lab(where, ['up', '--snapshot'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await unreachable(where, ['h1', 'h2'])).toEqual([]);
    const addresses = made.nodes.find(({ name }) => name === 'h1')!.interfaces[0]!;
    expect((await lab(where, ['exec', 'r1', 'ip', 'link', 'set', 'eth1', 'down'])).exitCode).toBe(0);
    const targets = [addresses.ipv4!, addresses.ipv6!].map((address) => address.split('/')[0]!);
    const pings = targets.map((to) => `ping -n -c1 -W2 ${to} 2>&1 && echo "reached ${to}"; echo =====`);
    for (const from of ['r1', 'r2', 'h2']) {
      const { stdout } = await lab(where, ['exec', from, '--', 'sh', '-c', pings.join('\n')]);
      const answers = stdout.split('=====\n').slice(0, -1);
      expect(answers).toEqual(targets.map(() => expect.stringMatching(/unreachable|no route/i)));
      expect(stdout).not.toContain('reached 1');
      expect(stdout).not.toContain('reached f');
    }
    // The IPv6 addresses do not come back: the kernel removes them with the link.
    expect((await lab(where, ['exec', 'r1', 'ip', 'link', 'set', 'eth1', 'up'])).exitCode).toBe(0);
    expect(await lab(where, ['exec', 'h2', 'ping', '-4', '-n', '-c1', '-W5', 'h1'])).toMatchObject({
      exitCode: 0,
    });
    await lab(where, ['collect', '-q']);
    const collected = readFileSync(path.join(where.directory, 'config/r1.cfg'), 'utf8');
    expect(collected).toMatch(/^route unreachable 172\.16\.\d+\.0\/24$/m);
    expect(collected).not.toContain('undefined');
    expect((await lab(where, ['down'])).exitCode).toBe(0);
  });
});

describe('a ring of routers with IPv6 alone', () => {
  it(`has the unreachable routes last, also beside the kernel's own metric${because}`, async () => {
    const instance = uniqueInstance('ring');
    const made = labOf(
      `addressing: {lan: {ipv4: , ipv6: fd00:1::/48}, p2p: {ipv4: , ipv6: fd00:2::/48}, loopback: {ipv4: , ipv6: fd00:3::/48}}
nodes: {r1: {role: router}, r2: {role: router}, r3: {role: router}, r4: {role: router}, h1: , h2: }
links: [r1-r2, r2-r3, r3-r4, r4-r1, h1-r1, h2-r3]`,
    );
    const where = placed({ ...made, instance });
    expect(await lab(where, ['up', '--snapshot'])).toMatchObject({ exitCode: 0, stderr: '' });
    const routes = execFileSync('ip', ['-6', '-n', `lab-${instance}-r1`, 'route'], { encoding: 'utf8' });
    const last = routes.split('\n').filter((line) => line.startsWith('unreachable'));
    expect(last.length).toBeGreaterThan(0);
    expect(last.every((line) => line.includes('metric 65535'))).toBe(true);
    expect(await unreachable(where, ['h1', 'h2', 'r2', 'r4'], '-6')).toEqual([]);
    expect((await lab(where, ['down'])).exitCode).toBe(0);
  });
});

describe('groups, MTUs and loopbacks of hosts', () => {
  it(`carry packets, large ones over a bridge too, and leave no lock behind${because}`, async () => {
    const instance = uniqueInstance('groups');
    const made = labOf(`
groups:
  _auto_create: True
  routers: {members: [r1, r2], role: router}
  hosts: {members: [h1, h2, h3], mtu: 9000}
nodes: {h1: {loopback: true}}
links: [{h1: , h2: , r1: , mtu: 9000}, r1-r2, {r2: , type: loopback, prefix: 10.66.0.0/24}, r2-h3]`);
    const where = placed({ ...made, instance });
    expect(await lab(where, ['up', '--snapshot'])).toMatchObject({ exitCode: 0, stderr: '' });
    const lo1 = made.nodes
      .find(({ name }) => name === 'r2')!
      .interfaces.find(({ ifname }) => ifname === 'lo1')!;
    const loopback = made.nodes.find(({ name }) => name === 'h1')!.loopback!;
    for (const ping of [
      ['h1', '-M', 'do', '-s', '8900', 'h2'],
      ['h3', loopback.ipv4!.split('/')[0]!],
      ['h3', lo1.ipv4!.split('/')[0]!],
    ]) {
      const [from, ...args] = ping;
      const result = await lab(where, ['exec', from!, 'ping', '-n', '-c1', '-W5', ...args]);
      expect([ping, result.exitCode]).toEqual([ping, 0]);
    }
    const lockFile = path.join(where.home, 'locks', `${instance}.lock`);
    expect(existsSync(lockFile)).toBe(true);
    expect((await lab(where, ['down'])).exitCode).toBe(0);
    expect(existsSync(lockFile)).toBe(false);
  });
});

describe('1,000 routers in a line', () => {
  const long = preparedLabs({ missing: missingForLabs() ?? leftOut });

  long.it(
    `come up with all their routes, and go down completely${long.because}`,
    async () => {
      const instance = uniqueInstance('big');
      const where = long.placed(routerLine(1000, instance));
      const up = await lab(where, ['up', '--snapshot']);
      expect(up).toMatchObject({ exitCode: 0, stderr: '' });
      // Beside how far it is, a line a second.
      const rest = up.stdout.replaceAll(
        /^\w+ (?:nodes|links): \d+ of 1000\n|^Creating links: \d+ of 999\n/gm,
        '',
      );
      expect(rest.split('\n').length).toBeLessThan(10);
      // As far as a packet goes: 255 hops.
      expect(await unreachable(where, ['r1', 'r200'])).toEqual([]);
      expect(await unreachable(where, ['r801', 'r1000'])).toEqual([]);
      expect((await lab(where, ['down'])).exitCode).toBe(0);
      expect(leftovers(where, instance)).toEqual([]);
    },
    180_000,
  );
});
