/** Reads a topology file as a drawing, with the places of its nodes and links. */
import { type Mapping } from '../../../../../src/engine/topology/source.ts';
import type { FoundLink, LinkEnd } from '../topology/links-of.ts';
import type { FoundGroup } from '../topology/nodes-of.ts';
import type { Drawing, DrawnNode, Format, Unseen } from './drawing.ts';
import { readContainerlab } from './read-containerlab.ts';
import { readNetlab } from './read-netlab.ts';
import { YamlText, type Path } from './yaml-text.ts';

export interface ReadNode {
  readonly drawn: DrawnNode;
  /** Undefined without an entry of its own. */
  readonly path: Path | undefined;
  readonly data: unknown;
}

/** An end whose node exists. */
export interface ReadEnd extends Pick<LinkEnd, 'name' | 'path' | 'attributes'> {
  readonly interface: string | null;
}

export interface ReadLink {
  readonly id: string;
  readonly path: Path;
  /** containerlab has only `endpoints`. */
  readonly form: FoundLink['form'] | 'endpoints';
  readonly ends: readonly ReadEnd[];
  /** All ends of the text, also those without a node. */
  readonly written: readonly ReadEnd[];
  /** Their names. */
  readonly names: readonly string[];
  readonly attributes: Mapping;
  /** A node that joins the ends, and is none of them. */
  readonly bridge?: string;
}

/** A topology whose links have no IDs yet. */
export interface FoundTopology {
  readonly nodes: readonly ReadNode[];
  readonly links: readonly Omit<ReadLink, 'id'>[];
  /** Written as links, and not drawn: disabled links, and BGP sessions. */
  readonly others: readonly Omit<ReadLink, 'id'>[];
  readonly groups: readonly FoundGroup[];
  readonly unseen: readonly Unseen[];
}

export interface ReadTopology extends FoundTopology {
  readonly links: readonly ReadLink[];
}

/** By its name, or by its content. */
export function formatOf(path: string, text: string): Format {
  return /\.clab\.ya?ml$/i.test(path) || /^\uFEFF?topology\s*:/m.test(text) ? 'containerlab' : 'netlab';
}

/** The names of the ends; links with the same ends are numbered. */
function withIds(links: FoundTopology['links']): ReadLink[] {
  const counts = new Map<string, number>();
  return links.map((link) => {
    const names = link.ends.map(({ name, interface: port }) => (port === null ? name : `${name}:${port}`));
    const ends = names.join('-');
    const count = (counts.get(ends) ?? 0) + 1;
    counts.set(ends, count);
    return { ...link, id: count === 1 ? ends : `${ends} (${count})` };
  });
}

export function readTopology(yaml: YamlText): ReadTopology {
  const found = yaml.format === 'netlab' ? readNetlab(yaml) : readContainerlab(yaml);
  const isDrawn = ({ ends }: (typeof found.links)[number]): boolean => ends.length > 0;
  const others = found.links
    .filter((link) => !isDrawn(link))
    .flatMap(({ path }): Unseen[] => {
      const span = yaml.spanOf(path);
      return span ? [{ message: 'a link without nodes of this file', span }] : [];
    });
  return {
    ...found,
    links: withIds(found.links.filter(isDrawn)),
    unseen: [...found.unseen, ...others],
  };
}

export type ReadDrawing =
  | { readonly kind: 'drawing'; readonly drawing: Drawing }
  /** `line` counts from 1. */
  | { readonly kind: 'unreadable'; readonly message: string; readonly line: number };

export function readDrawing(path: string, text: string): ReadDrawing {
  const yaml = new YamlText(text, formatOf(path, text));
  if (yaml.error) return { kind: 'unreadable', ...yaml.error };
  const { nodes, links, groups, unseen } = readTopology(yaml);
  return {
    kind: 'drawing',
    drawing: {
      format: yaml.format,
      nodes: nodes.map(({ drawn }) => drawn),
      links: links.map(({ id, path: at, ends, attributes, bridge }) => ({
        id,
        ends: ends.map(({ name, interface: port, attributes: own }) => ({
          node: name,
          interface: port,
          attributes: own,
        })),
        attributes,
        ...(bridge !== undefined && { bridge }),
        span: yaml.spanOf(at) ?? { from: 0, to: 0 },
      })),
      groups: groups.map(({ name, members }) => ({ name, members })),
      unseen,
    },
  };
}
