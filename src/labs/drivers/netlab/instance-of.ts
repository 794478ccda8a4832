import { findTooDeep, maxParsedLength } from '../../../lib/text/yaml-depth.ts';
import type { LabDriver } from '../lab-driver.ts';
import { dotted } from './dotted.ts';

const setting = ['defaults', 'multilab', 'id'] as const;

/** The multilab id in a topology. Few topologies have one, so the others are not parsed at all. */
async function multilabIdIn(text: string): Promise<unknown> {
  if (text.length > maxParsedLength || !text.includes('multilab') || findTooDeep(text)) return undefined;
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
 * settings come before the topology. What netlab takes from elsewhere (netsim/utils/read.py, load) is not looked at: the
 * variable `NETLAB_MULTILAB_ID` of the service, which beats the topology, and files of defaults (`topology-defaults.yml`
 * in the directory or at home, `~/.netlab.yml`, those of the system and those that `defaults.sources` names), which the
 * topology beats. Each is one id for many labs, which is what a multilab id is not for.
 */
export const instanceOf = async ({
  options,
  topologyText,
}: Parameters<LabDriver['instanceOf']>[0]): Promise<string> => {
  const given = options.multilabId ?? options.set?.[setting.join('.')];
  const id = given ?? (topologyText === undefined ? undefined : await multilabIdIn(topologyText));
  return (typeof id === 'number' || typeof id === 'string') && id !== '' ? String(id) : 'default';
};
