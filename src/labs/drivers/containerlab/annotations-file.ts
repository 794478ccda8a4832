/**
 * The file that containerlab's editors (TopoViewer, the VS Code extension) keep beside a topology: `dc1.clab.yml.annotations.json`,
 * with the positions of nodes among texts, shapes and groups (https://containerlab.dev/manual/gui/).
 */
import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { isMapping, type Mapping } from '../../../lib/mapping.ts';
import { parseJson, shortBytes } from '../../system/foreign-file.ts';
import type { LayoutFileDriver, NodePositions } from '../topology-driver.ts';
import { topologyFiles } from './topology-files.ts';

const farthest = 1_000_000;
const coordinate = z.number().min(-farthest).max(farthest);
const position = z.object({ x: coordinate, y: coordinate });

/** Lists of things with a place; a bridge is a node for containerlab, and a network in the editors. Earlier ones come first. */
const lists = ['nodeAnnotations', 'networkNodeAnnotations', 'cloudNodeAnnotations'] as const;

/** Beyond `Number`, a digit would be lost when the file is written anew. Decimals of 17 digits are what programs write. */
function losesDigits(text: string): boolean {
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/-?\d[\d.eE+-]*/g);
  return [...numbers].some(([word]) => {
    const digits = word
      .replace(/[eE].*/, '')
      .replaceAll(/\D/g, '')
      .replace(/^0+/, '');
    const value = Number(word);
    return !Number.isFinite(value) || (digits.length > 15 && String(value) !== word);
  });
}

/** Undefined for what is no such document. */
function parsed(text: string): Mapping | undefined {
  try {
    const document = parseJson(Buffer.from(text));
    if (!isMapping(document)) return undefined;
    return lists.every((name) => Array.isArray(document[name] ?? [])) ? document : undefined;
  } catch {
    return undefined;
  }
}

interface Annotation {
  readonly id: string;
  readonly at: z.output<typeof position> | undefined;
  /** As it is in the document, which may be changed. */
  readonly own: Record<string, unknown>;
}

/** The positions in the first list that has a node. */
function annotationsIn(document: Mapping): ReadonlyMap<string, Annotation> {
  const found = new Map<string, Annotation>();
  for (const own of lists.flatMap((name) => (document[name] ?? []) as unknown[])) {
    if (!isMapping(own)) continue;
    const { id } = own;
    if (typeof id !== 'string' || found.has(id)) continue;
    found.set(id, { id, at: position.safeParse(own['position']).data, own });
  }
  return found;
}

/** More boxes than this no picture has. */
const positionsMax = 5_000;

export function positionsIn(text: string): NodePositions | undefined {
  const document = parsed(text);
  if (document === undefined) return undefined;
  const all = [...annotationsIn(document).values()].slice(0, positionsMax);
  return Object.fromEntries(all.flatMap(({ id, at }) => (at === undefined ? [] : [[id, at] as const])));
}

/** As it was written: people look at such files in their version control. */
function writtenAs(document: Mapping, text: string): string {
  const [, end = '\n', indent] = /^\s*\{(\r?\n)([ \t]+)"/.exec(text) ?? [];
  const written = JSON.stringify(document, null, indent).replaceAll('\n', end);
  return `${written}${text.slice(text.trimEnd().length)}`;
}

export function withPositions(text: string, positions: NodePositions): string | undefined {
  const document: Record<string, unknown> | undefined = parsed(text);
  if (document === undefined || losesDigits(text)) return undefined;
  const annotations = annotationsIn(document);
  const added: unknown[] = [];
  for (const [id, { x, y }] of Object.entries(positions)) {
    const own = annotations.get(id)?.own;
    if (own === undefined) added.push({ id, position: { x, y } });
    // Other fields of a node are kept.
    else own['position'] = { ...(isMapping(own['position']) && own['position']), x, y };
  }
  if (added.length > 0)
    document['nodeAnnotations'] = [...((document['nodeAnnotations'] ?? []) as unknown[]), ...added];
  return writtenAs(document, text);
}

/** Of 5,000 nodes, with texts and groups. */
const limits = { maxBytes: 4 * 1024 * 1024, besideBytes: shortBytes };

export const annotationsFile: LayoutFileDriver = {
  pathOf: async ({ instance, directory, entry }) => {
    const topology = await topologyFiles.fileOf?.({ instance, workdir: directory, entry });
    return topology && `${topology}.annotations.json`;
  },
  positions: {
    ...limits,
    name: 'annotations: positions',
    read: (bytes) => (isUtf8(bytes) ? positionsIn(bytes.toString('utf8')) : undefined) ?? null,
  },
  changed: {
    ...limits,
    name: 'annotations: changed',
    // Bytes that are not UTF-8 could not be written back unchanged.
    read: (bytes, positions) =>
      (isUtf8(bytes) ? withPositions(bytes.toString('utf8'), positions) : undefined) ?? null,
  },
};
