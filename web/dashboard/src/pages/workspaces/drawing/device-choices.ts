/** The devices (kinds, in containerlab) that this server can run. */
import type { ServiceInfo, TemplateList } from '../../../../../../src/client/api-types.ts';
import type { Format } from '../../../parts/drawing/drawing.ts';
import { devices, kinds } from '../../../parts/topology/topology-words.ts';
import type { Language } from './form-fields.ts';

export interface DeviceChoice {
  readonly name: string;
  readonly description: string;
  /** Whether it is offered without a search: its image is free, or topologies of this server use it. */
  readonly isUsual: boolean;
}

/** The engine has no others (src/engine/topology/read-nodes.ts); the others need no image of a vendor. */
const usual: Readonly<Record<Language, readonly string[]>> = {
  engine: ['linux-router', 'linux', 'none'],
  netlab: ['frr', 'linux'],
  containerlab: ['linux', 'nokia_srlinux', 'bridge'],
};

type Clis = ServiceInfo['labClis'];

/** The language of the lab CLIs of the server. Without netlab, a file in its format is for the engine. */
export function languageOf(format: Format, clis: Clis): Language {
  if (format === 'containerlab') return format;
  const has = (name: string): boolean => clis.some((cli) => cli.name === name && cli.isInstalled);
  return has('engine') && !has('netlab') ? 'engine' : 'netlab';
}

/** The devices of a server with these lab CLIs and templates; the usual ones are the first. */
export function devicesFor(
  language: Language,
  clis: Clis,
  templates: TemplateList['templates'],
): readonly DeviceChoice[] {
  const words = language === 'containerlab' ? kinds : devices;
  const used = templates
    .filter(({ cli, runnable }) => runnable && cli === language)
    .flatMap((template) => template.devices)
    .toSorted();
  const first = [...new Set([...usual[language], ...used])];
  // In namespaces, without Docker, netlab starts no images of vendors.
  const isBare = clis.some(({ name, runtime }) => name === language && runtime === 'namespaces');
  const isAll = language !== 'engine' && !isBare;
  const further = isAll ? Object.keys(words).filter((name) => name !== 'linux-router') : [];
  return [...new Set([...first, ...further])].map((name) => ({
    name,
    // The rest of a sentence tells the engine from netlab.
    description: words[name]?.split(';')[0] ?? 'used by a topology of this server',
    isUsual: first.includes(name),
  }));
}
