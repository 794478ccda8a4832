import { findTooDeep, maxParsedLength } from '../../lib/text/yaml-depth.ts';
import { placedYamlMistake } from '../../lib/text/yaml-mistake.ts';
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
    const { valueOf } = await import('../model/yaml-value.ts');
    const options = { merge: true, logLevel: 'silent', uniqueKeys: false, prettyErrors: false } as const;
    return valueOf(yaml.parseDocument(text, options)) ?? null;
  },
};

/** Whether the topology of a request has a name. @throws Error that says why it is none. */
export const topologyHead: Form<{ readonly isNamed: boolean }> = {
  name: 'topology head',
  maxBytes: topologyYaml.maxBytes,
  besideBytes: topologyYaml.besideBytes,
  read: async (bytes) => {
    const text = bytes.toString('utf8');
    const yaml = await import('yaml');
    const tooDeep = findTooDeep(text, yaml);
    if (tooDeep) throw new Error(`is not a topology: it has ${tooDeep.message}`);
    const lines = new yaml.LineCounter();
    // The parser's check for duplicate keys takes time that grows with their square; the lab CLI makes its own.
    const options = {
      logLevel: 'error',
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
    } as const;
    const { errors, contents } = yaml.parseDocument(text, options);
    if (errors[0] !== undefined) throw new Error(`is not YAML: ${placedYamlMistake(errors[0], lines)}`);
    if (!yaml.isMap(contents)) throw new Error('is not a topology: it must be a YAML mapping');
    return { isNamed: contents.has('name') };
  },
};
