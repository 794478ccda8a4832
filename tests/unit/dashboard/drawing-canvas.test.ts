/** The keys, names, places and targets of the drawing of a topology. */
import { describe, expect, test } from '@jest/globals';
import { graphOf } from '../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import { labTopologyOf } from '../../../web/dashboard/src/parts/drawing/lab-topology-of.ts';
import { readDrawing } from '../../../web/dashboard/src/parts/drawing/read-topology.ts';
import { boxesOf } from '../../../web/dashboard/src/parts/picture/flow-graph.ts';
import { canvasKey } from '../../../web/dashboard/src/pages/workspaces/drawing/canvas-keys.ts';
import { copyPlaces } from '../../../web/dashboard/src/pages/workspaces/drawing/copy-places.ts';
import { editWords } from '../../../web/dashboard/src/pages/workspaces/drawing/edit-words.ts';
import {
  editFor,
  linkChoices,
  targetOf,
  targetWords,
} from '../../../web/dashboard/src/pages/workspaces/drawing/link-targets.ts';
import { directionOf, nextItem } from '../../../web/dashboard/src/pages/workspaces/drawing/next-item.ts';
import { partAt } from '../../../web/dashboard/src/pages/workspaces/drawing/part-at.ts';
import {
  changedBy,
  everythingIn,
  ofBox,
  selectionWords,
} from '../../../web/dashboard/src/pages/workspaces/drawing/selection.ts';

const span = { from: 0, to: 0 };
const entry = { device: null, role: null, groups: [], attributes: {}, span };
const link = (id: string, ends: readonly string[]) => ({
  id,
  ends: ends.map((node) => ({ node, interface: null, attributes: {} })),
  attributes: {},
  span,
});
const drawing: Drawing = {
  format: 'netlab',
  nodes: ['r1', 'r2', 'r3', 'h1'].map((name) => ({ name, ...entry })),
  links: [link('a', ['r1', 'r2']), link('lan', ['r1', 'r2', 'h1'])],
  groups: [],
  unseen: [],
};

test('a box says where its lines end: a line without a measured end is not drawn', () => {
  const topology = labTopologyOf({ ...drawing, links: [] });
  const sizes = [80, 90, 100, 110].map((width) => ({ x: 5, y: 7, width, height: 40 }));
  const placement = { topology, graph: graphOf(topology), placed: { boxes: sizes, lines: [] } };
  const ends = boxesOf(placement, undefined, []).map(({ handles = [] }) =>
    handles.map(({ type, x, y }) => `${type} ${x} ${y}`),
  );
  expect(ends).toEqual([40, 45, 50, 55].map((x) => [`source ${x} 20`, `target ${x} 20`]));
});

describe('keys', () => {
  const press = (keys: string) => {
    const parts = keys.split('+');
    return canvasKey({
      key: parts.at(-1) ?? '',
      ctrlKey: parts.includes('Ctrl'),
      metaKey: parts.includes('Cmd'),
      altKey: parts.includes('Alt'),
      shiftKey: parts.includes('Shift'),
    });
  };

  test.each([
    ['n', 'add'],
    ['L', 'link'],
    ['/', 'find'],
    ['Backspace', 'remove'],
    ['c', 'copy'],
    ['Ctrl+c', 'mark'],
    ['Cmd+v', 'paste'],
    ['Ctrl+z', 'undo'],
    ['Ctrl+Shift+Z', 'redo'],
    ['Ctrl+y', 'redo'],
    ['Ctrl+Shift+A', undefined],
    ['Alt+n', undefined],
    ['Ctrl+n', undefined],
    ['x', undefined],
  ])('%s: %s', (keys, action) => {
    expect(press(keys)).toBe(action);
  });
});

describe('copies', () => {
  test('stand below their nodes in the same shape, and on no other box', () => {
    const size = { width: 84, height: 46 };
    const copied = [
      { x: 0, y: 0, ...size },
      { x: 200, y: 60, ...size },
    ];
    const [first, second] = copyPlaces(copied, [...copied, { x: 0, y: 120, ...size }]);
    expect(first?.x).toBe(0);
    expect(first?.y).toBeGreaterThan(120 + 46);
    expect(second).toEqual({ x: 200, y: (first?.y ?? 0) + 60 });
  });
});

describe('arrow keys', () => {
  const items = [
    { id: 'first', x: 0, y: 0 },
    { id: 'line', x: 50, y: 5 },
    { id: 'right', x: 100, y: 0 },
    { id: 'below', x: 10, y: 80 },
  ];
  const from = (id: string | undefined, key: string) =>
    nextItem(items, id, directionOf(key) ?? { x: 0, y: 0 })?.id;

  test('go to the nearest item in their direction', () => {
    expect(from(undefined, 'ArrowLeft')).toBe('first');
    expect(from('first', 'ArrowRight')).toBe('line');
    expect(from('line', 'ArrowRight')).toBe('right');
    expect(from('first', 'ArrowDown')).toBe('below');
    expect(from('below', 'ArrowUp')).toBe('first');
    expect(from('first', 'ArrowUp')).toBeUndefined();
    expect(directionOf('Tab')).toBeUndefined();
  });
});

describe('a selection', () => {
  test('grows and shrinks by boxes and links', () => {
    const both = changedBy({ nodes: ['r1'], links: [] }, ofBox('l:lan'), true);
    expect(both).toEqual({ nodes: ['r1'], links: ['lan'] });
    expect(changedBy(both, ofBox('n:r1'), false)).toEqual({ nodes: [], links: ['lan'] });
    expect(selectionWords(both)).toBe('1 node, 1 link');
    expect(selectionWords(everythingIn(drawing))).toBe('4 nodes, 2 links');
  });
});

describe('a new link', () => {
  const at = (id: string, nodes: readonly string[], format: Drawing['format'] = 'netlab') => {
    const target = targetOf({ ...drawing, format }, id, nodes);
    return target && { words: targetWords(nodes, target), edit: editFor(nodes, target) };
  };

  test('joins nodes, and makes a network of a line', () => {
    expect(at('n:r2', ['r1'])).toEqual({
      words: 'r1–r2',
      edit: { kind: 'add-links', links: [['r1', 'r2']], attributes: {} },
    });
    expect(at('a', ['r3'])).toEqual({
      words: 'r3 joins r1–r2 as a network',
      edit: { kind: 'add-ends', link: 'a', nodes: ['r3'] },
    });
    expect(at('l:lan', ['r3'])?.words).toBe('r3 joins r1–r2–h1');
    expect(at('n:h1', ['r2', 'r3'])?.edit).toMatchObject({
      links: [
        ['r2', 'h1'],
        ['r3', 'h1'],
      ],
    });
  });

  test('does not join a node with itself or with its own link, nor a third node with a link of containerlab', () => {
    expect(at('n:r1', ['r1'])).toBeUndefined();
    expect(at('a', ['r1'])).toBeUndefined();
    expect(at('n:nothing', ['r1'])).toBeUndefined();
    expect(at('a', ['r3'], 'containerlab')).toBeUndefined();
  });

  test('of several nodes may join them with each other', () => {
    const labels = (nodes: readonly string[], format: Drawing['format'] = 'netlab') =>
      [...linkChoices({ ...drawing, format }, nodes)].map(([group, choices]) => [
        group,
        choices.map(({ label }) => label),
      ]);
    expect(labels(['r3'])).toEqual([
      ['Nodes', ['r1', 'r2', 'h1']],
      ['Links and networks', ['r1–r2', 'r1–r2–h1']],
    ]);
    expect(labels(['r2', 'r3'])[0]).toEqual(['Each other', ['r2–r3']]);
    expect(labels(['r1', 'r2', 'r3'])).toEqual([
      ['Each other', ['One network of all 3']],
      ['Nodes', ['h1']],
    ]);
    expect(labels(['r1', 'r2', 'r3'], 'containerlab')).toEqual([['Nodes', ['h1']]]);
    expect(editFor(['r1', 'r2'], { kind: 'each-other' })).toEqual({
      kind: 'add-links',
      links: [['r1', 'r2']],
      attributes: {},
    });
  });
});

test('edits in words', () => {
  const words = (edit: Parameters<typeof editWords>[0]) => editWords(edit, drawing);
  const attributes = {};
  expect(words({ kind: 'copy-nodes', copies: new Map([['r1', 'r4']]) })).toBe('node r1 copied as r4');
  expect(words({ kind: 'remove', nodes: ['r1'], links: [] })).toBe('node r1 removed');
  expect(words({ kind: 'remove', nodes: ['r1', 'r2'], links: ['a'] })).toBe('2 nodes, 1 link removed');
  expect(words({ kind: 'add-ends', link: 'a', nodes: ['h1'] })).toBe('node h1 added to link r1–r2');
  expect(words({ kind: 'set-end', link: 'lan', end: 0, keys: ['ipv4'], value: undefined })).toBe(
    'ipv4 of link r1–r2–h1 removed',
  );
  expect(words({ kind: 'set-nodes', nodes: ['r1', 'r2'], keys: ['bgp', 'as'], value: 65_000 })).toBe(
    'bgp.as of 2 nodes changed',
  );
  const one = ['r1', 'r3'];
  expect(words({ kind: 'add-links', links: [one], attributes })).toBe('link r1–r3 added');
  expect(words({ kind: 'add-links', links: [one, ['r2', 'r3']], attributes })).toBe('2 links added');
});

describe('the part at a place of the text', () => {
  const text = `# desks
nodes:
  r1: # first
    mtu: 1500
  r2:
links:
- r1-r2 # cable
- { r1: , r2: }
groups: { core: [r1, r2] }
vlans: { red: { links: [ r1-r2, r2-r1 ] } }
`;
  const read = readDrawing('topology.yml', text);
  /** The part where this text begins, with all of it selected or none. */
  const at = (words: string, isRange = false): string => {
    if (read.kind !== 'drawing') throw new Error(read.message);
    const from = text.indexOf(words);
    const part = partAt(read.drawing, text, { from, to: from + (isRange ? words.length : 0) });
    const ends = read.drawing.links.flatMap(({ id, ends: both }) =>
      part.links.includes(id) ? [both.map(({ node }) => node).join('-')] : [],
    );
    return [...part.nodes, ...ends].join(' ');
  };

  test.each([
    ['# desks', ''],
    ['nodes:', ''],
    ['  r1:', 'r1'],
    ['# first', 'r1'],
    ['    mtu', 'r1'],
    ['500\n', 'r1'],
    ['  r2:', 'r2'],
    ['links:', ''],
    ['- r1-r2', 'r1-r2'],
    [' # cable', 'r1-r2'],
    ['- {', 'r1-r2'],
    ['groups', ''],
    ['vlans', ''],
    ['r2-r1', 'r2-r1'],
  ])('%j: %s', (words, part) => {
    expect(at(words)).toBe(part);
  });

  test('contains all of a selected text', () => {
    expect(at('mtu: 1500', true)).toBe('r1');
    expect(at('mtu: 1500\n  r2', true)).toBe('');
    expect(at(text, true)).toBe('');
  });
});
