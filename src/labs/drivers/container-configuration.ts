/** How containers print their running configuration, by device (of netlab) or kind (of containerlab). */
import { AppError } from '../../lib/app-error.ts';
import type { ConfigurationCommand } from './node-driver.ts';

/** Devices and kinds whose containers are Linux, with FRR or without. */
const linuxDevices: ReadonlySet<unknown> = new Set([
  null,
  undefined,
  'linux',
  'frr',
  'bird',
  'dnsmasq',
  'cumulus',
  'cumulus_nvue',
]);

export const isLinux = (device: unknown): boolean => linuxDevices.has(device);

/** Without FRR, these nodes are broken. */
const hasFrr: ReadonlySet<unknown> = new Set(['frr', 'cumulus', 'cumulus_nvue']);

/** `no-header`: the lines before the configuration are no commands that FRR would read again (vtysh(1)). */
const ofFrr = ['vtysh', '-c', 'show running-config no-header'];

const ofEos = ['Cli', '-p', '15', '-c', 'show running-config'];
const ofCrpd = ['cli', 'show', 'configuration'];
const ofSrLinux = ['sr_cli', 'info from running'];

/** The commands of netlab (netsim/ansible/tasks/fetch-config), with the command lines of the kinds of containerlab. */
const ofDevices: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['eos', ofEos],
  ['arista_ceos', ofEos],
  ['ceos', ofEos],
  ['crpd', ofCrpd],
  ['juniper_crpd', ofCrpd],
  ['srlinux', ofSrLinux],
  ['nokia_srlinux', ofSrLinux],
  ['srl', ofSrLinux],
  ['vyos', ['/bin/vbash', '-cil', 'show configuration commands']],
]);

/** Words of shells for a missing program, and of vtysh(1) where no daemon runs. */
const saysNoDaemon = /vtysh: (?:command )?not found|failed to connect to any daemons/i;

/** @throws AppError `not-supported` for a device whose command is not known. */
export function containerConfiguration(
  node: string,
  device: unknown,
  inside: readonly string[],
): ConfigurationCommand {
  const own = ofDevices.get(device);
  if (own !== undefined) return { inside, program: own };
  if (!isLinux(device))
    throw new AppError(
      'not-supported',
      `the command that prints the configuration of ${node} (${String(device)}) is not known here: run "collect" as a job`,
    );
  const none = `${node} runs no routing daemon, so it has no configuration to read`;
  return {
    inside,
    program: ofFrr,
    ...(!hasFrr.has(device) && { whyNone: (words) => (saysNoDaemon.test(words) ? none : undefined) }),
  };
}
