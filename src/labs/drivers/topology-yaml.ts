import { findTooDeep, maxParsedLength } from '../../lib/text/yaml-depth.ts';
import type { Form } from '../system/foreign-file.ts';

/** The values of a topology in YAML; null for an empty one. */
export const topologyYaml: Form<unknown> = {
  name: 'topology',
  // A character of UTF-8 has up to three bytes for each of JavaScript's.
  maxBytes: 3 * maxParsedLength,
  // A kilobyte takes up to 5 ms.
  besideBytes: 16 * 1024,
  read: async (bytes) => {
    const text = bytes.toString('utf8');
    if (text.length > maxParsedLength) throw new Error(`it is longer than ${maxParsedLength} characters`);
    // The command line finds its lab CLI with the drivers and needs no YAML, which takes longer to load than the rest.
    const yaml = await import('yaml');
    const tooDeep = findTooDeep(text, yaml);
    if (tooDeep) throw new Error(`it has ${tooDeep.message}`);
    const value: unknown = yaml.parse(text, { merge: true, logLevel: 'silent', uniqueKeys: false });
    return value ?? null;
  },
};
