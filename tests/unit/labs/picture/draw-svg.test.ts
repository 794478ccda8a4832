/** What is drawn where, in the words of SVG; lab-pictures.test.ts has pictures of labs that are laid out. */
import { describe, expect, test } from '@jest/globals';
import type { NodeState } from '../../../../src/labs/drivers/status-driver.ts';
import type { TopologyLink, TopologyNode } from '../../../../src/labs/drivers/topology.ts';
import type { Fault } from '../../../../src/labs/model/fault.ts';
import { drawSvg } from '../../../../src/labs/picture/draw-svg.ts';
import type { PlacedLine } from '../../../../src/labs/picture/picture.ts';
import { svgStyle } from '../../../../src/labs/picture/svg-style.ts';
import { link, node } from './hand-made.ts';

interface Drawn {
  readonly nodes: readonly TopologyNode[];
  readonly links?: readonly TopologyLink[];
  readonly lines?: readonly PlacedLine[];
  readonly states?: Readonly<Record<string, NodeState>> | undefined;
  readonly faults?: readonly Fault[];
  readonly size?: { width: number; height: number };
}

/** The picture of nodes, then of networks, each on its own: 100 by 46, in a row. */
function draw({
  nodes,
  links = [],
  lines = [],
  states,
  faults = [],
  size = { width: 400.2, height: 99.1 },
}: Drawn): string {
  const networks = links.filter(({ endpoints }) => endpoints.length !== 2);
  const boxes = [...nodes, ...networks].map((_, index) => {
    return { x: 100 + 200 * index, y: 50, width: 100, height: 46 };
  });
  return drawSvg({
    name: 'Lab demo',
    topology: { nodes, links },
    placed: { ...size, boxes, lines },
    states: states && new Map(Object.entries(states)),
    faults,
  });
}

const bodyOf = (svg: string): string[] => svg.slice(svg.indexOf('</style>\n') + 9).split('\n');
/** Titles go over several lines; each element ends one. */
const elementOf = (svg: string, className: string): string | undefined =>
  new RegExp(`^<g class="${className}[^]*?</g>$`, 'm').exec(svg)?.[0];

describe('the file', () => {
  test('has its size, its title, what is in it, its look, and nothing else', () => {
    expect(draw({ nodes: [] }).replace(svgStyle, '…').split('\n')).toEqual([
      '<svg xmlns="http://www.w3.org/2000/svg" width="401" height="100" viewBox="0 0 401 100" role="img" aria-labelledby="title desc">',
      '<title id="title">Lab demo: 0 nodes, 0 links</title>',
      '<desc id="desc"></desc>',
      '<style>…</style>',
      '<rect class="page" width="401" height="100"/>',
      '',
      '</svg>',
      '',
    ]);
  });

  test.each([
    ['one that tells states, for which there is a legend', { a: 'up' }, 'width="340" height="46"'],
  ] as const)('is no narrower than its words need: %s', (_what, states, size) => {
    const svg = draw({ nodes: [node('a')], states, size: { width: 10, height: 20 } });
    expect(svg).toContain(`<rect class="page" ${size}/>`);
  });
});

describe('for those who hear it', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `r${index + 1}`);

  test('it says which nodes there are, by role, and how many are in which state', () => {
    const svg = draw({
      nodes: [node('r1'), node('h1', 'host'), node('r2'), { ...node('x'), role: null }],
      links: [link('1', ['r1', 'r2'])],
      states: { r1: 'up', r2: 'up', h1: 'down' },
    });
    expect(svg).toContain('<title id="title">Lab demo: 4 nodes, 1 link</title>');
    expect(svg).toContain(
      '<desc id="desc">router: r1, r2; host: h1; node: x; 2 up, 1 down, 1 unknown</desc>',
    );
  });

  test.each([[21, 'r19, r20, …</desc>']])('of %d nodes it names twenty', (count, end) => {
    expect(draw({ nodes: names(count).map((name) => node(name)) })).toContain(end);
  });
});

describe('a node', () => {
  test.each([
    ['router', 'node router', '<rect class="shape" x="50" y="27" width="100" height="46" rx="23"/>'],
    ['host', 'node host', '<rect class="shape" x="50" y="27" width="100" height="46" rx="3"/>'],
    ['bridge', 'node bridge', '<polygon class="shape" points="62,27 138,27 150,39 150,61 138,73 '],
  ])('that is a %s has a shape of its own', (role, className, shape) => {
    const drawn = elementOf(draw({ nodes: [node('a', role)] }), 'node');
    expect(drawn).toContain(`<g class="${className}"><title>a, ${role}, frr</title>${shape}`);
  });

  test.each([
    ['up', /<circle class="mark up" r="8"\/><path class="sign" d="M[^"]+"\/><\/g><\/g>$/],
    ['down', /<rect class="mark down" x="-8" [^>]*rx="3"\/><path class="sign" d="M[^"]+"\/><\/g><\/g>$/],
    ['unknown', /<circle class="mark unknown" r="7"\/><path class="sign unknown" d="M[^"]+"\/><\/g><\/g>$/],
  ] as const)('that is %s has that at its upper right corner, as a word and as a sign', (state, sign) => {
    const drawn = elementOf(draw({ nodes: [node('a')], states: { a: state } }), 'node');
    expect(drawn).toContain(`<g class="node router ${state}"><title>a, router, frr, ${state}</title>`);
    expect(drawn).toContain('</text><g transform="translate(144 29)"><');
    expect(drawn).toMatch(sign);
  });
});

describe('what is broken on purpose', () => {
  const fault = (changes: Partial<Fault>): Fault => {
    const none = { link: null, node: null, process: null, impairment: null, user: null, expiresAt: null };
    return { ...none, kind: 'down', setAt: '2026-01-15T18:00:00.000Z', ...changes };
  };
  const nodes = ['a', 'b', 'c'].map((name) => node(name));
  const links = [link('1', ['a', 'b']), link('2', ['a', 'b', 'c'])];
  const lines = Array.from({ length: 4 }, () => ({ points: [], texts: [] }));
  const brokenLines = (...faults: readonly Fault[]): number[] => {
    const svg = draw({ nodes, links, lines, faults, states: { a: 'up', b: 'up', c: 'up' } });
    const drawn = [...svg.matchAll(/^<path class="(link[^"]*)"/gm)];
    return drawn.flatMap(([, className], index) => (className === 'link fault' ? [index] : []));
  };

  test.each([
    ['a link', { link: '1' }, [0]],
    ['a network', { link: '2' }, [1, 2, 3]],
    ['the end of one node at a network', { link: '2', node: 'b' }, [2]],
    ['a node without links', { node: 'b', kind: 'isolated' }, [0, 2]],
    ['a node whose processes are stopped', { node: 'b', kind: 'paused' }, []],
  ] as const)('%s: its lines are marked', (_what, changes, broken) => {
    expect(brokenLines(fault(changes))).toEqual(broken);
  });

  test('is in words, in the title of its line or node, in the description and in the legend', () => {
    const expiresAt = '2026-01-15T18:05:00.000Z';
    const faults = [
      fault({ link: '1', user: 'alice', expiresAt }),
      fault({ node: 'c', kind: 'killed', process: 'bgpd' }),
    ];
    const svg = draw({ nodes, links, lines, faults, states: { a: 'up' } });
    expect(svg).toMatch(/<path class="link fault"[^>]*><title>[^<]*\ndown, by alice, until 2026-01-15T18:05/);
    expect(elementOf(svg, 'node router unknown fault')).toContain('unknown\nbgpd killed</title>');
    expect(svg).toContain(
      'link 1: down, by alice, until 2026-01-15T18:05:00.000Z; node c: bgpd killed</desc>',
    );
    expect(svg).toContain('>2 faults</text>');
  });
});

test('the legend stands below all, with the signs of those states that there are, and how many have them', () => {
  const nodes = ['a', 'b', 'c'].map((name) => node(name));
  const svg = draw({ nodes, states: { a: 'up', b: 'unknown', c: 'up' } });
  expect(svg).toContain('height="126"');
  const legend = bodyOf(svg).at(-3) ?? '';
  expect(
    [...legend.matchAll(/<g transform="([^"]*)"><\w+ class="mark (\w+)"/g)].map(([, ...both]) => both),
  ).toEqual([
    ['translate(32 110)', 'up'],
    ['translate(132 110)', 'unknown'],
  ]);
  expect([...legend.matchAll(/<text class="legend" [^]*?<\/text>/g)].map(([text]) => text)).toEqual([
    '<text class="legend" x="46" y="114">2 up</text>',
    '<text class="legend" x="146" y="114">1 unknown</text>',
  ]);
});

describe('a network', () => {
  const lan = link('7', ['a', 'b', 'c']);
  const nodes = ['a', 'b', 'c'].map((name) => node(name));

  test('has its prefixes one below the other, and says what it joins', () => {
    const dual = { ...lan, prefix: { ...lan.prefix, ipv6: '2001:db8::/64' } };
    expect(elementOf(draw({ nodes, links: [dual] }), 'net')).toBe(
      [
        '<g class="net"><title>lan 10.0.7.0/24 2001:db8::/64\na a-7 10.0.7.1/24\nb b-7 10.0.7.2/24\nc c-7 10.0.7.3/24</title>',
        '<rect class="shape" x="650" y="27" width="100" height="46" rx="11"/>',
        '<text x="700" y="47.6">10.0.7.0/24</text><text x="700" y="59.1">2001:db8::/64</text></g>',
      ].join(''),
    );
  });
});

describe('a line', () => {
  const points = [
    { x: 0, y: 0.04 },
    { x: 10, y: 5 },
  ];

  test('says what it joins; those of a network say it of the network', () => {
    const links = [link('1', ['a', 'b']), link('2', ['a', 'b', 'c']), link('3', ['c', 'a'])];
    const lines = [1, 2, 3, 4, 5].map(() => ({ points, texts: [] }));
    const nodes = ['a', 'b', 'c'].map((name) => node(name));
    const svg = draw({ nodes, links, lines });
    const drawn = [...svg.matchAll(/<path class="link" d="M0 0L10 5"><title>(\w+ \S+)\n/g)].map(
      ([, what]) => what,
    );
    expect(drawn).toEqual([
      'p2p 10.0.1.0/24',
      ...Array<string>(3).fill('lan 10.0.2.0/24'),
      'p2p 10.0.3.0/24',
    ]);
  });

  test('has the name of the interface above it, and the addresses below it', () => {
    const text = {
      above: 'eth1',
      below: ['10.0.0.1/30', '2001:db8::1/64'],
      at: { x: 20.02, y: 30 },
      angle: -12.34,
    };
    const lines = [{ points, texts: [text] }];
    const svg = draw({ nodes: [node('a'), node('b')], links: [link('1', ['a', 'b'])], lines });
    expect(svg).toContain(
      [
        '\n<text class="end" transform="translate(20 30) rotate(-12.3)">',
        '<tspan class="if" y="-3.5" x="0">eth1</tspan>',
        '<tspan x="0" y="10">10.0.0.1/30</tspan><tspan x="0" y="21.5">2001:db8::1/64</tspan></text>\n',
      ].join(''),
    );
  });
});

test('nothing that is called like a part of a page becomes one', () => {
  const hostile = `<&>"'`;
  const escaped = '&lt;&amp;&gt;&quot;&#39;';
  const named = { ...node(hostile), device: hostile };
  const lines = [{ points: [], texts: [{ above: hostile, below: [hostile], at: { x: 0, y: 0 }, angle: 0 }] }];
  const lan = { ...link('1', [hostile]), prefix: { ipv4: hostile, ipv6: null } };
  const svg = drawSvg({
    name: hostile,
    topology: { nodes: [named], links: [lan] },
    placed: { width: 1, height: 1, lines, boxes: [0, 1].map(() => ({ x: 0, y: 0, width: 1, height: 1 })) },
    states: undefined,
    faults: [],
  });
  expect(svg).not.toContain(hostile);
  for (const [before, after] of [
    ['<title id="title">', ': 1 node, 1 link'],
    ['<desc id="desc">router: ', '</desc>'],
    ['y="-1.5">', '</text>'],
    ['y="12.5">', '</text>'],
    ['x="0">', '</tspan>'],
    ['y="10">', '</tspan>'],
    ['y="3.3">', '</text>'],
    ['<g class="net"><title>p2p ', '\n'],
  ])
    expect(svg).toContain(`${before}${escaped}${after}`);
});

test('what XML does not allow is replaced: control characters and half of a pair', () => {
  const name = 'a\u0000\u0008\u000B\u000C\u000E\u001F\uFFFE\uFFFF\uD800b\t\u{1F600}';
  expect(draw({ nodes: [node(name)] })).toContain(`>a${'\uFFFD'.repeat(9)}b\t\u{1F600}</text>`);
});
