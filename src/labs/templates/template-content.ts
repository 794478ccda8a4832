/** What a template says of its lab, whatever there is on this machine. */
import { isMapping } from '../../lib/mapping.ts';
import type { TopologyFiles, TopologySummary } from '../drivers/lab-driver.ts';
import type { Held } from './template-file.ts';

export interface TemplateContent extends Omit<TopologySummary, 'nodes' | 'links'> {
  /** How many; null when the file cannot be understood. */
  readonly nodes: number | null;
  readonly links: number | null;
  readonly valid: boolean;
  /** Why it is not valid, as a sentence. */
  readonly error: string | null;
}

function invalid(error: string): TemplateContent {
  return {
    title: null,
    description: null,
    provider: null,
    device: null,
    devices: [],
    unsupported: [],
    nodes: null,
    links: null,
    valid: false,
    error,
  };
}

/** Never throws: what cannot be understood is said in `error`. */
export function contentOf(held: Held, summarize: TopologyFiles['summarize']): TemplateContent {
  if ('problem' in held) return invalid(held.problem);
  if (!isMapping(held.value)) return invalid('The file is not a topology: it is not a YAML mapping');
  const content = summarize(held.value);
  if (content.nodes > 0) return { ...content, valid: true, error: null };
  return { ...content, valid: false, error: 'The file is not a topology: it has no nodes' };
}
