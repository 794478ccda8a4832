/** Files that no one would write by hand: no exception, and no change but the wanted one. */
import { describe, expect, test } from '@jest/globals';
import { changesFor } from '../../../web/dashboard/src/parts/drawing/changes-for.ts';
import type { Edit } from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import { readDrawing } from '../../../web/dashboard/src/parts/drawing/read-topology.ts';

const bomb = `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, nr) => `a${nr + 1}: &a${nr + 1} [*a${nr}, *a${nr}]`).join('\n')}\nnodes: [r1]\n`;

const edits: readonly Edit[] = [
  { kind: 'add-node', name: 'z1', attributes: { device: 'eos' } },
  { kind: 'add-node', name: '__proto__', attributes: {} },
  { kind: 'rename-node', name: 'r1', to: 'constructor' },
  { kind: 'remove', nodes: ['r1'], links: [] },
  { kind: 'set-node', node: 'r1', keys: ['__proto__', 'polluted'], value: true },
  { kind: 'set-node', node: 'r1', keys: ['device'], value: 'eos' },
  { kind: 'add-links', links: [['r1', 'r1']], attributes: {} },
  { kind: 'copy-nodes', copies: new Map([['r1', 'z2']]) },
  { kind: 'set-group', group: 'constructor', members: ['r1'] },
];

const files: Readonly<Record<string, string>> = {
  'more than 1 MiB': `nodes: [r1]\n# ${'x'.repeat(2 ** 20)}\n`,
  'deep nesting': `nodes: ${'['.repeat(50_000)}`,
  'deep maps': `nodes:\n  r1: ${'{a: '.repeat(3000)}${'}'.repeat(3000)}\n`,
  'aliases of aliases': bomb,
  'names of prototypes':
    'nodes:\n  __proto__: { constructor: 1 }\n  constructor:\n  r1:\nlinks: [__proto__-r1]\n',
  'duplicate keys': 'nodes: [r1]\nnodes: [r2]\n',
  tabs: 'nodes:\n\tr1:\n',
  'a tab behind a colon': 'nodes:\n  r1:\t# here\n  r2:\t{}\n',
  'a byte order mark': '\uFEFFnodes:\n  r1:\n',
  'a NUL': 'nodes:\n  r1: "\0"\n\0',
  'two documents': '---\nnodes: [r1]\n---\nnodes: [r2]\n',
  'the end of a document': '---\nnodes:\n  r1:\n...\n',
  'explicit keys': 'nodes:\n  ? r1\n  : device: frr\n  ? r2\n? links\n: - r1-r2\n',
  'anchors and tags of keys': 'nodes:\n  &a r1: !!map {}\n  !!str r2: &b\n',
  'comments in flow': 'nodes: { # a\n  r1: # b\n    { device: # c\n      frr }, # d\n  r2 } # e\n',
  'a block scalar at the end': 'nodes:\n  r1:\n    config: |+\n      x # y\n\n\n',
  'no line end': 'nodes:\n  r1:\n  r2: {}\nlinks:\n- r1-r2',
  'a scalar': 'r1',
  'a list': '- nodes',
  'names that are no words': 'nodes:\n  1:\n  on:\n  ~:\n  r1:\nlinks: [1-on, { 1: , r1: }, [1, r1]]\n',
};

describe.each(Object.entries(files))('%s', (_, text) => {
  test.each(edits.map((edit): [string, Edit] => [`${edit.kind} ${JSON.stringify(edit)}`, edit]))(
    '%s',
    (__, edit) => {
      const before = readDrawing('topology.yml', text);
      const result = changesFor('topology.yml', text, edit);
      expect('polluted' in {}).toBe(false);
      if (result.kind === 'refused') return;
      expect(before.kind).toBe('drawing');
      expect(readDrawing('topology.yml', result.text).kind).toBe('drawing');
      // Nothing is lost but the lines of the node and of its only link, and ends of lists.
      const gone = text.split('\n').filter((line) => !result.text.includes(line.trim().slice(0, 3)));
      expect(gone.filter((line) => !/r1|device|frr|- 1|r2 }|config|x # y/.test(line))).toEqual([]);
    },
  );
});
