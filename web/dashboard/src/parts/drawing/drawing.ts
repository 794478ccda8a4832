/**
 * `drawing/` shows a topology file as a drawing, and turns edits of the drawing into changes of the text. The text is the
 * only thing that is kept: a drawing is read from it, and an edit changes nothing but the values that it is about.
 */
import type { Mapping } from '../../../../../src/engine/topology/source.ts';

export type Format = 'netlab' | 'containerlab';

/** A part of the text; lines end with `\n`, also in a file with Windows line ends. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface DrawnNode {
  readonly name: string;
  /** Of netlab and the engine: the device; of containerlab: the kind. From the node, its groups or the defaults. */
  readonly device: string | null;
  readonly role: string | null;
  readonly groups: readonly string[];
  /** The attributes of its own entry, as nested maps. */
  readonly attributes: Mapping;
  /** Undefined for a node that has no entry of its own, such as one that a group creates: the text alone can change it. */
  readonly span: Span | undefined;
}

export interface DrawnEnd {
  readonly node: string;
  /** Named in the file, as always in containerlab. */
  readonly interface: string | null;
  readonly attributes: Mapping;
}

export interface DrawnLink {
  /** The same one while other links are added and removed. */
  readonly id: string;
  readonly ends: readonly DrawnEnd[];
  /** The attributes without the ends, as nested maps. */
  readonly attributes: Mapping;
  /** A node with the role `bridge` that joins the ends (netlab's attribute `bridge`), and is no end itself. */
  readonly bridge?: string;
  readonly span: Span;
}

/** A part of the file that the drawing cannot show, such as a plugin that adds nodes. */
export interface Unseen {
  readonly message: string;
  readonly span: Span;
}

export interface Drawing {
  readonly format: Format;
  readonly nodes: readonly DrawnNode[];
  readonly links: readonly DrawnLink[];
  readonly groups: readonly { readonly name: string; readonly members: readonly string[] }[];
  readonly unseen: readonly Unseen[];
}

/** The keys from an entry to one of its values: `['bgp', 'as']`. */
export type Keys = readonly string[];

/** An edit of a drawing. Names of nodes and IDs of links are those of the drawing before it. */
export type Edit =
  | { readonly kind: 'add-node'; readonly name: string; readonly attributes: Mapping }
  | { readonly kind: 'copy-nodes'; readonly copies: ReadonlyMap<string, string> }
  | { readonly kind: 'rename-node'; readonly name: string; readonly to: string }
  /** Removing a node removes its links too; a network with other nodes loses only its end. */
  | { readonly kind: 'remove'; readonly nodes: readonly string[]; readonly links: readonly string[] }
  /** Each link is the names of its nodes; all of them get the attributes. */
  | {
      readonly kind: 'add-links';
      readonly links: readonly (readonly string[])[];
      readonly attributes: Mapping;
    }
  /** A line becomes a network. */
  | { readonly kind: 'add-ends'; readonly link: string; readonly nodes: readonly string[] }
  /** `undefined` removes the value. */
  | { readonly kind: 'set-node'; readonly node: string; readonly keys: Keys; readonly value: unknown }
  | {
      readonly kind: 'set-nodes';
      readonly nodes: readonly string[];
      readonly keys: Keys;
      readonly value: unknown;
    }
  | { readonly kind: 'set-link'; readonly link: string; readonly keys: Keys; readonly value: unknown }
  /** `end` is the index of an end of the link. */
  | {
      readonly kind: 'set-end';
      readonly link: string;
      readonly end: number;
      readonly keys: Keys;
      readonly value: unknown;
    }
  /** The new members of a group, which is added if there is none of that name. */
  | { readonly kind: 'set-group'; readonly group: string; readonly members: readonly string[] };

export interface TextChange extends Span {
  readonly insert: string;
}
