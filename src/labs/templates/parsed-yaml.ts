import { findTooDeep } from '../../lib/text/yaml-depth.ts';
import { plainYaml } from './plain-yaml.ts';

/** What a topology file says, as plain values. @throws Error with the sentence of the parser. */
export async function parsedYaml(text: string): Promise<unknown> {
  const tooDeep = findTooDeep(text);
  if (tooDeep) throw new Error(`it has ${tooDeep.message}`);
  return plainYaml(text) ?? wholeYaml(text);
}

/** The same by the parser of all YAML. */
export async function wholeYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  // Without the check for duplicate keys, whose time grows with the square of their number. Aliases are bounded by the parser (100 by default): a "billion laughs" file throws.
  const document = parseDocument(text, { merge: true, logLevel: 'error', uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document.toJS();
}
