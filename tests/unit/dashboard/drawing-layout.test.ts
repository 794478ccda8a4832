/** The picture of a drawing, and the places of its boxes while it is edited. */
import { describe, expect, test } from '@jest/globals';
import { graphOf } from '../../../src/labs/picture/graph-of.ts';
import { place } from '../../../src/labs/picture/place.ts';
import type {
  DrawnLink,
  DrawnNode,
  Drawing,
  Edit,
} from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import { labTopologyOf } from '../../../web/dashboard/src/parts/drawing/lab-topology-of.ts';
import { readDrawing } from '../../../web/dashboard/src/parts/drawing/read-topology.ts';
import { changesFor } from '../../../web/dashboard/src/parts/drawing/changes-for.ts';
import { carriedPlaces } from '../../../web/dashboard/src/pages/workspaces/drawing/carried-places.ts';
import { labChanges } from '../../../web/dashboard/src/pages/workspaces/drawing/lab-changes.ts';
import {
  freePlace,
  keptFrom,
  layoutAfter,
  noLayout,
} from '../../../web/dashboard/src/parts/picture/kept-layout.ts';

const span = { from: 0, to: 0 };

const node = (name: string, more: Partial<DrawnNode> = {}): DrawnNode => ({
  name,
  device: 'frr',
  role: null,
  groups: [],
  attributes: {},
  span,
  ...more,
});

const link = (id: string, ends: readonly string[], more: Partial<DrawnLink> = {}): DrawnLink => ({
  id,
  ends: ends.map((name) => ({ node: name, interface: null, attributes: {} })),
  attributes: {},
  span,
  ...more,
});

const drawing = (nodes: readonly string[], links: readonly DrawnLink[]): Drawing => ({
  format: 'netlab',
  nodes: nodes.map((name) => node(name)),
  links,
  groups: [],
  unseen: [],
});

describe('the topology of a drawing', () => {
  test('has the interfaces, addresses and prefixes of the file, and no others', () => {
    const ends = [
      { node: 'r1', interface: null, attributes: { ifname: 'eth7', ipv4: '10.0.0.1/24' } },
      { node: 'r2', interface: 'eth1', attributes: { ipv4: 2 } },
    ];
    const prefix = { ipv4: '10.0.0.0/24', ipv6: '2001:db8::/64' };
    const { links } = labTopologyOf(drawing(['r1', 'r2'], [link('a', [], { ends, attributes: { prefix } })]));
    expect(links).toEqual([
      {
        id: 'a',
        type: 'p2p',
        prefix,
        endpoints: [
          { node: 'r1', interface: 'eth7', ipv4: '10.0.0.1/24', ipv6: null },
          { node: 'r2', interface: 'eth1', ipv4: null, ipv6: null },
        ],
      },
    ]);
  });

  test.each([
    { ends: ['r1'], attributes: {}, type: 'stub' },
    { ends: ['r1', 'r2'], attributes: { prefix: false }, type: 'p2p' },
    { ends: ['r1', 'r2', 'r3', 'r4'], attributes: { prefix: null }, type: 'lan' },
    { ends: ['r1', 'r2'], attributes: { type: 'tunnel', prefix: '2001:db8::/64' }, type: 'tunnel' },
  ])('of $ends has the type $type', ({ ends, attributes, type }) => {
    const [only] = labTopologyOf(drawing([], [link('a', ends, { attributes })])).links;
    expect(only?.type).toBe(type);
    const ipv6 = 'prefix' in attributes && type === 'tunnel' ? '2001:db8::/64' : null;
    expect(only?.prefix).toEqual({ ipv4: null, ipv6 });
  });

  test('has the roles of the picture of the running lab', () => {
    const roles = (format: Drawing['format'], devices: readonly (string | null)[]) => {
      const nodes = devices.map((device, index) => node(`n${index}`, { device }));
      return labTopologyOf({ ...drawing([], []), format, nodes }).nodes.map(({ role }) => role);
    };
    expect(roles('netlab', ['frr', 'linux', null])).toEqual(['router', 'host', null]);
    expect(roles('containerlab', ['linux', 'ovs-bridge'])).toEqual([null, 'bridge']);
  });

  test('leaves out the text of an end that the file does not describe', () => {
    const [line] = graphOf(labTopologyOf(drawing(['r1', 'r2'], [link('a', ['r1', 'r2'])]))).lines;
    expect(line).toMatchObject({ fromText: undefined, toText: undefined });
  });
});

describe('the drawing of a netlab file', () => {
  const drawn = (text: string): Drawing => {
    const read = readDrawing('topology.yml', text);
    if (read.kind !== 'drawing') throw new Error(read.message);
    return read.drawing;
  };

  test('joins the ends of a link to the bridge that the link or its group names', () => {
    const read = drawn(`nodes: { a: , b: , c: , sw: { role: bridge } }
links:
- { a: , b: , bridge: sw }
- { group: g, bridge: sw, members: [a-c, { b: , c: , bridge: br0 }] }
- { a: , bridge: sw }
`);
    expect(read.links.map(({ id, bridge }) => [id, bridge])).toEqual([
      ['a-b', 'sw'],
      ['a-c', 'sw'],
      ['b-c', undefined],
      ['a', 'sw'],
    ]);
    const { links } = labTopologyOf(read);
    expect(links.map(({ endpoints }) => endpoints.map((end) => end.node).join(' '))).toEqual([
      'a b sw',
      'a c sw',
      'b c',
      'a sw',
    ]);
    expect(links.map(({ type }) => type)).toEqual(['lan', 'lan', 'p2p', 'p2p']);
    const running = links.flatMap(({ endpoints, ...one }) =>
      endpoints.some((end) => end.node === 'sw')
        ? endpoints.slice(0, -1).map((end) => ({ ...one, endpoints: [end, { ...end, node: 'sw' }] }))
        : [{ ...one, endpoints }],
    );
    expect(labChanges({ ...labTopologyOf(read), links: running }, read)).toEqual([]);
  });

  test('has the links of maps in maps, and tells of links that no lab has', () => {
    const { links, unseen } = drawn(`nodes: [a, b]
links:
  core: { inner: [a-b], text: b-a }
  wrong: { a: , b: }
  off:
  - { a: , b: , disable: true }
  - { group: g, disable: true, members: [a-b] }
`);
    expect(links.map(({ id }) => id)).toEqual(['a-b', 'b-a']);
    expect(unseen.map(({ message }) => message)).toEqual([
      'a map of nodes with a name, which is no link: write it as an item of a list',
      'a disabled link',
      'a disabled link',
    ]);
  });
});

describe('the place of a network', () => {
  const text = `nodes: { a: , b: , c: , d: }
links: [a-b-c, c-d, a-b-c, d, a-b-c-d]
`;
  const drawn = (now: string): Drawing => {
    const read = readDrawing('topology.yml', now);
    if (read.kind !== 'drawing') throw new Error(read.message);
    return read.drawing;
  };
  const at = (x: number) => ({ x, y: 0 });
  const given = {
    'n:a': at(9),
    'l:a-b-c': at(1),
    'l:a-b-c (2)': at(2),
    'l:d': at(3),
    'l:a-b-c-d': at(4),
  };
  const carried = (edit: Edit) => {
    const result = changesFor('topology.yml', text, edit);
    if (result.kind === 'refused') throw new Error(result.message);
    return Object.fromEntries(carriedPlaces(edit, { before: drawn(text), now: drawn(result.text) }, given));
  };

  test.each<[string, Edit, ReturnType<typeof carried>]>([
    [
      'follows a new name',
      { kind: 'rename-node', name: 'a', to: 'x' },
      { 'n:x': at(9), 'l:x-b-c': at(1), 'l:x-b-c (2)': at(2), 'l:x-b-c-d': at(4) },
    ],
    [
      'follows a new end',
      { kind: 'add-ends', link: 'a-b-c (2)', nodes: ['d'] },
      { 'l:a-b-c-d': at(2), 'l:a-b-c-d (2)': at(4) },
    ],
    [
      'is that of the other one of two alike, and changes with it for the undo',
      { kind: 'remove', nodes: [], links: ['a-b-c'] },
      { 'l:a-b-c': at(2), 'l:a-b-c (2)': at(1) },
    ],
    ['stays without the last one', { kind: 'remove', nodes: [], links: ['a-b-c (2)', 'd'] }, {}],
    [
      'follows the nodes that are left',
      { kind: 'remove', nodes: ['d'], links: [] },
      { 'l:a-b-c (3)': at(4) },
    ],
    ['is no matter of other edits', { kind: 'add-links', links: [['a', 'b', 'c']], attributes: {} }, {}],
  ])('%s', (...[, edit, places]) => {
    expect(carried(edit)).toEqual(places);
  });
});

describe('the layout of a drawing that is edited', () => {
  const graphFrom = (nodes: readonly string[], links: readonly DrawnLink[]) =>
    graphOf(labTopologyOf(drawing(nodes, links)));
  const pair = graphFrom(['r1', 'r2'], [link('a', ['r1', 'r2'])]);
  const bent = [
    { x: 40, y: 0 },
    { x: 200, y: 90 },
    { x: 360, y: 0 },
  ];
  const arranged = {
    boxes: [
      { x: 0.4, y: 0, width: 84, height: 90 },
      { x: 400, y: 0, width: 84, height: 46 },
    ],
    paths: [bent],
  };
  const first = keptFrom(pair, arranged, {});

  test('keeps boxes and lines, and puts a new box beside those that it is linked to', () => {
    const graph = graphFrom(['r1', 'r2', 'r3'], [link('a', ['r1', 'r2']), link('b', ['r2', 'r3'])]);
    const next = layoutAfter(first, graph, {});
    expect(next?.arranged.boxes.slice(0, 2)).toEqual(arranged.boxes);
    expect(next?.arranged.paths[0]).toBe(bent);
    const { x = 0, y = 0 } = next?.arranged.boxes[2] ?? {};
    expect(Math.hypot(x - 400, y)).toBeGreaterThan(46);
    expect(Math.hypot(x - 400, y)).toBeLessThan(220);
  });

  test('keeps them when a node gets another name, and brings a removed one back where it was', () => {
    const other = graphFrom(['core', 'r2'], [link('a', ['core', 'r2'])]);
    const next = layoutAfter(first, other, {});
    expect(next?.arranged.boxes).toEqual(arranged.boxes);
    expect(next?.arranged.paths).toEqual([bent]);
    const without = layoutAfter(first, graphFrom(['r2'], []), {});
    const again = without && layoutAfter(without, pair, {});
    expect(again?.arranged.boxes).toEqual(arranged.boxes);
  });

  test('keeps a network where it is while nodes join and leave it', () => {
    const nodes = ['r1', 'r2', 'r3', 'r4'];
    const before = layoutAfter(noLayout, graphFrom(nodes, [link('r1-r2-r3', nodes.slice(0, 3))]), {
      'n:r1': { x: 0, y: 0 },
      'l:r1-r2-r3': { x: 90, y: 500 },
    });
    const joined = before && layoutAfter(before, graphFrom(nodes, [link('r1-r2-r3-r4', nodes)]), {});
    expect(joined?.arranged.boxes.at(-1)).toMatchObject({ x: 90, y: 500 });
    const [, ...others] = nodes;
    const left = joined && layoutAfter(joined, graphFrom(others, [link('r2-r3-r4', others)]), {});
    expect(left?.arranged.boxes.at(-1)).toMatchObject({ x: 90, y: 500 });
  });

  test('makes the lines of a moved box straight, and the box as high as others', () => {
    const next = layoutAfter(first, pair, { 'n:r1': { x: 0, y: 300 } });
    expect(next?.arranged.boxes[0]).toMatchObject({ x: 0, y: 300, height: 46 });
    expect(next?.arranged.paths[0]).toHaveLength(2);
    // In whole pixels, as files have it.
    expect(layoutAfter(first, pair, { 'n:r1': { x: 0, y: 0 } })?.arranged.paths).toEqual([bent]);
    expect(place(pair, arranged, { 'n:r1': { x: 0, y: 0 } }).boxes).toEqual(arranged.boxes);
  });

  test('puts the first box where it is given, and leaves a whole topology without places to the arrangement', () => {
    const one = layoutAfter(noLayout, graphFrom(['r1'], []), { 'n:r1': { x: 7, y: 8 } });
    expect(one?.arranged.boxes).toMatchObject([{ x: 7, y: 8 }]);
    expect(layoutAfter(noLayout, pair, {})).toBeUndefined();
    expect(layoutAfter(noLayout, graphFrom([], []), {})?.arranged.boxes).toEqual([]);
  });

  test('puts a node without links below the others', () => {
    const next = layoutAfter(first, graphFrom(['r1', 'r2', 'r3'], [link('a', ['r1', 'r2'])]), {});
    expect(next?.arranged.boxes[2]).toMatchObject({ x: 200, y: 104 });
  });

  test('finds a free place for each of many boxes', () => {
    const size = { width: 84, height: 46 };
    const boxes: (typeof size & { readonly x: number; readonly y: number })[] = [];
    for (let nth = 0; nth < 40; nth++) boxes.push({ ...size, ...freePlace(size, { x: 0, y: 0 }, boxes) });
    const overlapping = boxes.filter((a) =>
      boxes.some((b) => a !== b && Math.abs(a.x - b.x) < 84 && Math.abs(a.y - b.y) < 46),
    );
    expect(overlapping).toEqual([]);
    // A chosen place needs less room.
    const wanted = { x: 95, y: 0 };
    expect(freePlace(size, wanted, boxes.slice(0, 1), 8)).toEqual(wanted);
    expect(freePlace(size, wanted, boxes.slice(0, 1))).not.toEqual(wanted);
  });
});
