import { findTooDeep } from '../../../lib/yaml-depth.ts';
import type { LabDriver } from '../lab-driver.ts';
import { dotted } from './dotted.ts';

const setting = ['defaults', 'multilab', 'id'] as const;

/** The multilab id in a topology. Few topologies have one, so the others are not parsed at all. */
async function multilabIdIn(text: string): Promise<unknown> {
  if (!text.includes('multilab') || findTooDeep(text)) return undefined;
  // The command line finds its lab CLI with this driver and needs no YAML, which takes longer to load than the rest.
  const { parse } = await import('yaml');
  try {
    return dotted(parse(text, { merge: true, logLevel: 'silent', uniqueKeys: false }), setting);
  } catch {
    // The lab CLI will say what is wrong with it.
    return undefined;
  }
}

/**
 * The multilab id, else `default` (netsim/utils/status.py, get_lab_id). `multilabId` becomes the last `--set`, and
 * settings come before the topology. Defaults that lie elsewhere (`~/.netlab.yml`) are not looked at.
 */
export const instanceOf: LabDriver['instanceOf'] = async ({ options, topologyText }) => {
  const given = options.multilabId ?? options.set?.[setting.join('.')];
  const id = given ?? (topologyText === undefined ? undefined : await multilabIdIn(topologyText));
  return (typeof id === 'number' || typeof id === 'string') && id !== '' ? String(id) : 'default';
};
