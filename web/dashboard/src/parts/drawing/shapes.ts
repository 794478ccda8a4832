/** Writes the text of a new topology: a shape with numbers, as a person would type it. */

export const shapeNames = ['blank', 'line', 'ring', 'star', 'spine-leaf', 'mesh'] as const;
export type ShapeName = (typeof shapeNames)[number];
export type NumberName = 'routers' | 'spines' | 'leaves' | 'hosts';
export type Numbers = Readonly<Partial<Record<NumberName, number>>>;

interface NumberField {
  readonly name: NumberName;
  readonly label: string;
  readonly least: number;
  /** The number that is proposed. */
  readonly first: number;
}

interface Shape {
  readonly label: string;
  readonly fields: readonly NumberField[];
}

/** netlab refuses more nodes without a setting of its own. */
const mostNodes = 150;
/** With more lines, a drawing is only ink. */
const mostLinks = 500;

const routers = (least: number, first: number, label = 'Routers'): NumberField => ({
  name: 'routers',
  label,
  least,
  first,
});
const hosts: NumberField = { name: 'hosts', label: 'Hosts', least: 0, first: 2 };

export const shapes: Readonly<Record<ShapeName, Shape>> = {
  blank: { label: 'Blank', fields: [] },
  line: { label: 'Line', fields: [routers(2, 3), hosts] },
  ring: { label: 'Ring', fields: [routers(3, 4), hosts] },
  star: { label: 'Star', fields: [routers(2, 4, 'Around the hub'), hosts] },
  'spine-leaf': {
    label: 'Spine–leaf',
    fields: [
      { name: 'spines', label: 'Spines', least: 1, first: 2 },
      { name: 'leaves', label: 'Leaves', least: 1, first: 3 },
      { name: 'hosts', label: 'Hosts per leaf', least: 0, first: 1 },
    ],
  },
  mesh: { label: 'Full mesh', fields: [routers(3, 4), hosts] },
};

type Link = readonly [string, string];

export interface Plan {
  readonly routers: readonly string[];
  readonly hosts: readonly string[];
  readonly links: readonly Link[];
}

/** `namesOf('r', 3)` is r1, r2, r3. */
const namesOf = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

/** Each name with the next one. */
const chainOf = ([first, ...others]: readonly string[]): Link[] => {
  const [next] = others;
  return first === undefined || next === undefined ? [] : [[first, next], ...chainOf(others)];
};

const pairsOf = (from: readonly string[], to: readonly string[]): Link[] =>
  from.flatMap((one) => to.map((other): Link => [one, other]));

/** The routers with links among them, and those that hosts may be at. */
interface Core {
  readonly routers: readonly string[];
  readonly links: readonly Link[];
  readonly forHosts?: readonly string[];
}

function coreOf(shape: ShapeName, { routers: count = 1, spines = 1, leaves = 1 }: Numbers): Core {
  const names = namesOf('r', count);
  switch (shape) {
    case 'blank':
      return { routers: namesOf('r', 1), links: [] };
    case 'line':
      return { routers: names, links: chainOf(names) };
    case 'ring':
      return { routers: names, links: chainOf([...names, ...names.slice(0, 1)]) };
    case 'star':
      return { routers: ['hub', ...names], links: pairsOf(['hub'], names), forHosts: names };
    case 'spine-leaf': {
      const [top, below] = [namesOf('s', spines), namesOf('l', leaves)];
      return { routers: [...top, ...below], links: pairsOf(top, below), forHosts: below };
    }
    case 'mesh':
      return {
        routers: names,
        links: names.flatMap((name, index) => pairsOf([name], names.slice(index + 1))),
      };
  }
}

/** Links from routers to hosts: evenly around, and from end to end of a line. */
function hostLinks(shape: ShapeName, among: readonly string[], guests: readonly string[]): Link[] {
  const isLine = shape === 'line' && guests.length > 1;
  return guests.flatMap((host, index) => {
    const router = isLine
      ? among[Math.round((index * (among.length - 1)) / (guests.length - 1))]
      : among[Math.floor((index * among.length) / guests.length)];
    return router === undefined ? [] : [[router, host]];
  });
}

export function planOf(shape: ShapeName, numbers: Numbers): Plan {
  const { routers: all, links, forHosts = all } = coreOf(shape, numbers);
  const { hosts: given = 0 } = numbers;
  const guests = namesOf('h', shape === 'spine-leaf' ? given * forHosts.length : given);
  return { routers: all, hosts: guests, links: [...links, ...hostLinks(shape, forHosts, guests)] };
}

const countText = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

/** `5 routers, 2 hosts, 7 links`. */
export function planText({ routers: { length }, hosts: { length: guests }, links }: Plan): string {
  return [
    countText(length, 'router'),
    ...(guests === 0 ? [] : [countText(guests, 'host')]),
    ...(links.length === 0 ? [] : [countText(links.length, 'link')]),
  ].join(', ');
}

/** How many nodes and links there would be, without making them: a typed number may be huge. */
function sizeOf(
  shape: ShapeName,
  { routers: count = 0, spines = 0, leaves = 0, hosts: guests = 0 }: Numbers,
) {
  if (shape === 'spine-leaf')
    return { nodes: spines + leaves + leaves * guests, links: spines * leaves + leaves * guests };
  const links = { blank: 0, line: count - 1, ring: count, star: count, mesh: (count * (count - 1)) / 2 };
  return { nodes: count + guests + (shape === 'star' ? 1 : 0), links: links[shape] + guests };
}

function excessOf(shape: ShapeName, numbers: Numbers): string | undefined {
  const { nodes, links } = sizeOf(shape, numbers);
  if (nodes > mostNodes) return `makes ${countText(nodes, 'node')}: at most ${mostNodes}`;
  return links > mostLinks ? `makes ${countText(links, 'link')}: at most ${mostLinks}` : undefined;
}

/** The numbers of a shape as they are typed, or the mistake of each field. */
export function numbersOf(
  shape: ShapeName,
  typed: (name: NumberName) => string,
): { readonly numbers: Numbers; readonly wrong: ReadonlyMap<NumberName, string> } {
  const wrong = new Map<NumberName, string>();
  const numbers: Partial<Record<NumberName, number>> = {};
  for (const { name, least } of shapes[shape].fields) {
    const text = typed(name).trim();
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number < least || number > mostNodes) wrong.set(name, `a whole number from ${least} to ${mostNodes}`);
    else numbers[name] = number;
    // The first field that is too much: those before it may stay as they are.
    const excess = wrong.size === 0 ? excessOf(shape, numbers) : undefined;
    if (excess !== undefined) wrong.set(name, excess);
  }
  return { numbers, wrong };
}

/** The longest line of a list that stays on it. */
const longestLine = 100;

function netlabLinks(links: readonly Link[]): string {
  if (links.length === 0) return '';
  const texts = links.map((ends) => ends.join('-'));
  const line = `links: [${texts.join(', ')}]\n`;
  return line.length <= longestLine ? line : `links:\n${texts.map((text) => `  - ${text}\n`).join('')}`;
}

/** For the bundled engine, whose routers are Linux and have routes to all networks by themselves. */
function engineText({ routers: all, hosts: guests, links }: Plan, name: string): string {
  const nodes = [
    ...all.map((router) => `  ${router}: { role: router }\n`),
    ...guests.map((host) => `  ${host}:\n`),
  ];
  return `name: ${name}\ndefaults.device: linux\nnodes:\n${nodes.join('')}${netlabLinks(links)}`;
}

/** For netlab: FRR routers, which speak OSPF with each other. */
function netlabText({ routers: all, hosts: guests, links }: Plan, name: string): string {
  const nodes = [
    ...all.map((router) => `  ${router}:\n`),
    ...guests.map((host) => `  ${host}: { device: linux }\n`),
  ];
  const ospf = all.length > 1 ? 'module: [ospf]\n' : '';
  return `name: ${name}\nprovider: clab\ndefaults.device: frr\n${ospf}nodes:\n${nodes.join('')}${netlabLinks(links)}`;
}

const images = { router: 'quay.io/frrouting/frr:10.7.1', host: 'alpine:3' };

/** For containerlab, where each end of a link is an interface: eth0 is of the management network. */
function containerlabText({ routers: all, hosts: guests, links }: Plan, name: string): string {
  const nodes = [
    ...all.map((router) => `    ${router}: { kind: linux }\n`),
    ...guests.map((host) => `    ${host}: { kind: linux, image: "${images.host}" }\n`),
  ];
  const used = new Map<string, number>();
  const endOf = (node: string): string => {
    const number = (used.get(node) ?? 0) + 1;
    used.set(node, number);
    return `"${node}:eth${number}"`;
  };
  const ends = links.map(([from, to]) => `    - endpoints: [${endOf(from)}, ${endOf(to)}]\n`);
  const kinds = `  kinds:\n    linux:\n      image: ${images.router}\n`;
  const joined = ends.length === 0 ? '' : `  links:\n${ends.join('')}`;
  return `name: ${name}\ntopology:\n${kinds}  nodes:\n${nodes.join('')}${joined}`;
}

/** The topology for a lab CLI. `name` is that of the lab. */
export function topologyText(plan: Plan, cli: string | undefined, name: string): string {
  if (cli === 'containerlab') return containerlabText(plan, name);
  return cli === 'engine' ? engineText(plan, name) : netlabText(plan, name);
}
