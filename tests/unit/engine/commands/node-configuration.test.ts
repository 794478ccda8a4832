import { expect, test } from '@jest/globals';
import { configurationText, parseConfiguration } from '../../../../src/engine/commands/node-configuration.ts';

const node = { name: 'r1', device: 'linux', role: 'router' as const };
const printed = [
  '[{"ifname":"lo","operstate":"UNKNOWN","mtu":65536,"addr_info":[{"local":"127.0.0.1","prefixlen":8,"scope":"host"}]},',
  '{"ifname":"eth1","operstate":"UP","mtu":1500,"address":"02:00:00:00:00:01","addr_info":[{"local":"fe80::1","prefixlen":64,"scope":"link"}]}]',
  '---',
  '[{"dst":"10.0.0.0/8","gateway":"10.1.0.2","dev":"eth1"},{"type":"unreachable","dst":"10.2.0.0/16","metric":65535}]',
  '---',
  '',
  '---',
  '[{"dst":"10.1.0.2","dev":"eth1","lladdr":"02:00:00:00:00:02","state":["REACHABLE"]},{"dst":"10.1.0.3","dev":"eth1","state":["FAILED"]}]',
  '---',
  'net/ipv4/ip_forward:1',
  'net/ipv6/conf/all/forwarding:0',
  '',
].join('\n');

test('what ip printed becomes one document, and text for people', () => {
  const configuration = parseConfiguration(node, printed);
  expect(configuration).toMatchObject({ node: 'r1', device: 'linux', role: 'router' });
  expect(configuration.interfaces.map(({ ifname }) => ifname)).toEqual(['lo', 'eth1']);
  expect(configuration.routes).toHaveLength(2);
  expect(configuration.sysctls).toEqual({ 'net.ipv4.ip_forward': '1', 'net.ipv6.conf.all.forwarding': '0' });
  expect(configurationText(configuration).split('\n')).toEqual([
    '! node r1, device linux, router',
    '!',
    'interface lo',
    '  state unknown',
    '  mtu 65536',
    '  address 127.0.0.1/8',
    '!',
    'interface eth1',
    '  state up',
    '  mtu 1500',
    '  mac 02:00:00:00:00:01',
    '  address fe80::1/64 (link-local)',
    '!',
    'route 10.0.0.0/8 via 10.1.0.2 dev eth1',
    'route unreachable 10.2.0.0/16',
    '!',
    'neighbour 10.1.0.2 dev eth1 02:00:00:00:00:02 reachable',
    'neighbour 10.1.0.3 dev eth1 - failed',
    '!',
    'sysctl net.ipv4.ip_forward = 1',
    'sysctl net.ipv6.conf.all.forwarding = 0',
    '',
  ]);
});
