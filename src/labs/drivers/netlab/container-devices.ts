/** Devices of netlab that only run in containers of Docker, found in a topology before netlab makes a file of it. */
import { AppError } from '../../../lib/app-error.ts';
import { isMapping, textOf } from '../../../lib/mapping.ts';
import { understand } from '../../system/foreign-file.ts';
import type { Environment, LabAsked } from '../lab-driver.ts';
import { topologyYaml } from '../topology-yaml.ts';
import { runtimeInForce } from './runtime.ts';

/** Devices of netlab 26.10 with images of vendors, or with a virtual machine in a container (netsim/devices). */
const devices = new Set(
  'arcos arubacx asav cat8000v cisco8000v crpd csr csrx cumulus cumulus_nvue dellos10 eos exos fortios iol ioll2 iosv iosvl2 iosxr netscaler nxos openbsd routeros7 sonic srlinux sros srsim vjunos-router vjunos-switch vmx vptx vsrx vyos'.split(
    ' ',
  ),
);

/** The nodes of a topology that name such a device, with it. Their groups and defaults are for netlab to see. */
export function nodesForDocker(topology: unknown): readonly string[] {
  const nodes = isMapping(topology) && isMapping(topology['nodes']) ? topology['nodes'] : {};
  return Object.entries(nodes).flatMap(([name, node]) => {
    if (!isMapping(node) || (textOf(node['provider']) ?? 'clab') !== 'clab') return [];
    const device = textOf(node['device']) ?? '';
    return devices.has(device) ? [`${name} (${device})`] : [];
  });
}

/** @throws AppError `not-supported` for a lab that new labs' runtime, namespaces, cannot start. */
export async function refuseDevices(
  { topologyText, options }: Pick<LabAsked, 'topologyText' | 'options'>,
  env: Environment,
  inForce: typeof runtimeInForce = runtimeInForce,
): Promise<void> {
  if (topologyText === undefined || inForce(env).runtime !== 'namespaces') return;
  const topology = await understand(topologyYaml, Buffer.from(topologyText)).catch(() => undefined);
  const asked = isMapping(topology) ? textOf(topology['provider']) : null;
  if ((options.provider ?? asked ?? 'clab') !== 'clab') return;
  const found = nodesForDocker(topology);
  if (found.length === 0) return;
  throw new AppError(
    'not-supported',
    `labs run in namespaces here, without Docker, which these nodes need: ${found.slice(0, 10).join(', ')}${found.length > 10 ? ` and ${found.length - 10} more` : ''}`,
  );
}
