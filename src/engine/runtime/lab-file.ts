/**
 * `runtime/` runs the containers of netlab's labs as namespaces of this machine, without Docker and containerlab. It
 * stands in for these two programs: netlab calls them by name, and finds ours first on its PATH. This file reads the
 * lab file of containerlab (`clab.yml`), as far as netlab writes it.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { systemCode } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { isContainerLab, isContainerName } from '../core/namespace-names.ts';
import { readTextFile } from '../system/files.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { isImageName } from '../../lib/text/image-name.ts';
import { nodeRootOf, type NodeRoot } from './images.ts';

interface Bind {
  /** A real path of this machine. */
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

export interface ContainerNode {
  /** Its name in the lab. */
  readonly name: string;
  /** The name of its container, and of its network namespace. */
  readonly container: string;
  readonly image: string;
  readonly root: NodeRoot;
  readonly env: Readonly<Record<string, string>>;
  readonly binds: readonly Bind[];
  /** Commands to run in the node after its start. */
  readonly exec: readonly string[];
  /** Nodes that have to run before this one starts. */
  readonly waitsFor: readonly string[];
  /** With prefix length. */
  readonly management: { readonly ipv4?: string; readonly ipv6?: string };
}

/** An interface of a node, or a port of a bridge of the machine (`isBridge`). */
export interface ContainerEnd {
  readonly node: string;
  readonly ifname: string;
  readonly isBridge: boolean;
}

export interface ContainerLab {
  readonly name: string;
  /** The instance of its claim. */
  readonly instance: string;
  /** The real path of the lab file. */
  readonly file: string;
  /** The address of the gateway of the management network, with prefix length. */
  readonly gateway: string | undefined;
  readonly nodes: readonly ContainerNode[];
  /** A link with one end is a stub. */
  readonly links: readonly (readonly ContainerEnd[])[];
}

const text = z.union([z.string(), z.number()]).transform(String);
const endpoint = z.string().regex(/^[^:]+:[^:]+$/, 'must be "node:interface"');
const subnet = z.string().regex(/^[\d.:a-fA-F]+\/\d{1,3}$/, 'must be a prefix');
const interfaceName = /^[\w.@-]{1,15}$/;

/** Attributes without a meaning for a namespace: they change nothing that a lab shows. */
const ignored = ['restart-policy', 'group', 'labels', 'dns', 'startup-delay', 'type', 'runtime', 'extras'];

const nodeSchema = z.looseObject({
  kind: z.string(),
  image: z.string().optional(),
  'mgmt-ipv4': z.ipv4().optional(),
  'mgmt-ipv6': z.ipv6().optional(),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/),
      text.refine((value) => !value.includes('\n')),
    )
    .nullish(),
  binds: z.array(z.string()).nullish(),
  exec: z.array(z.string()).nullish(),
  stages: z
    .looseObject({
      create: z
        .looseObject({ 'wait-for': z.array(z.looseObject({ node: z.string() })).optional() })
        .optional(),
    })
    .nullish(),
});

const linkSchema = z.union([
  z.looseObject({ endpoints: z.tuple([endpoint, endpoint]) }),
  z.looseObject({
    type: z.literal('dummy'),
    endpoint: z.looseObject({ node: z.string(), interface: z.string() }),
  }),
]);

const labSchema = z.looseObject({
  name: z.string(),
  prefix: z.string().optional(),
  mgmt: z.looseObject({ 'ipv4-subnet': subnet.optional(), 'ipv6-subnet': subnet.optional() }).optional(),
  topology: z.looseObject({
    nodes: z.record(z.string(), nodeSchema),
    links: z.array(linkSchema).nullish(),
  }),
});

type NodeEntry = z.infer<typeof nodeSchema>;
type LabDocument = z.infer<typeof labSchema>;

const known = new Set([...Object.keys(nodeSchema.shape), ...ignored]);

/** `clab-<lab>-<node>`; without a prefix, the name of the node (containerlab.dev/manual/topo-def-file, `prefix`). */
function containerName({ name, prefix = 'clab' }: LabDocument, node: string): string {
  if (prefix === '') return node;
  return prefix === '__lab-name' ? `${name}-${node}` : `${prefix}-${name}-${node}`;
}

async function readBind(bind: string, directory: string): Promise<Bind> {
  const [source = '', target = '', mode] = bind.split(':');
  if (!path.isAbsolute(target) || target.includes('\n'))
    throw new EngineError(`the bind "${bind}" has no absolute path in the node`);
  try {
    const real = await realpath(path.resolve(directory, source));
    return {
      source: real,
      target: path.normalize(target),
      isReadOnly: mode?.split(',').includes('ro') === true,
    };
  } catch (error) {
    throw new EngineError(`the bind "${bind}" has a source that cannot be used (${systemCode(error)})`);
  }
}

function addressIn(address: string | undefined, network: string | undefined): string | undefined {
  return address === undefined || network === undefined ? undefined : `${address}/${network.split('/')[1]}`;
}

/** By the names of images. */
type Roots = ReadonlyMap<string, NodeRoot | undefined>;

async function readRoots(context: Pick<EngineContext, 'home'>, { topology }: LabDocument): Promise<Roots> {
  const names = new Set(Object.values(topology.nodes).map(({ image = '' }) => image));
  const found = [...names].map(async (name) => [name, await nodeRootOf(context, name)] as const);
  return new Map(await Promise.all(found));
}

const remedyFor = (image: string): string =>
  isImageName(image)
    ? `"lab image add ${image} ARCHIVE" adds it from an archive of "docker save"`
    : 'without Docker, an image has a name and a tag';

/** The problems of nodes that cannot run here, all at once. */
function problemsOf(document: LabDocument, roots: Roots): string[] {
  return Object.entries(document.topology.nodes).flatMap(([name, node]) => {
    if (node.kind === 'bridge') return [];
    if (node.kind !== 'linux')
      return [`node ${name} is of the kind "${node.kind}", which needs containerlab and Docker`];
    if (!isContainerName(containerName(document, name))) return [`"${name}" cannot be the name of a node`];
    const strange = Object.keys(node).filter((key) => !known.has(key));
    return [
      ...strange.map((key) => `node ${name} has "${key}", which needs containerlab and Docker`),
      ...(roots.get(node.image ?? '') === undefined
        ? [
            `node ${name} needs the image "${node.image ?? ''}", which was not added: ${remedyFor(node.image ?? '')}`,
          ]
        : []),
    ];
  });
}

async function readNode(
  document: LabDocument,
  [name, node]: [string, NodeEntry],
  { directory, roots }: { readonly directory: string; readonly roots: Roots },
) {
  const { mgmt, topology } = document;
  const ipv4 = addressIn(node['mgmt-ipv4'], mgmt?.['ipv4-subnet']);
  const ipv6 = addressIn(node['mgmt-ipv6'], mgmt?.['ipv6-subnet']);
  const waitsFor = node.stages?.create?.['wait-for']?.map((wait) => wait.node) ?? [];
  const stranger = waitsFor.find((other) => !Object.hasOwn(topology.nodes, other));
  if (stranger !== undefined) throw new EngineError(`node ${name} waits for ${stranger}, which is no node`);
  return {
    name,
    container: containerName(document, name),
    image: node.image ?? '',
    // `problemsOf` has refused the others.
    root: roots.get(node.image ?? '') as NodeRoot,
    env: node.env ?? {},
    binds: await Promise.all((node.binds ?? []).map(async (bind) => readBind(bind, directory))),
    exec: node.exec ?? [],
    waitsFor,
    management: { ...(ipv4 !== undefined && { ipv4 }), ...(ipv6 !== undefined && { ipv6 }) },
  };
}

function readEnd(document: LabDocument, node: string, ifname: string): ContainerEnd {
  const entry = Object.hasOwn(document.topology.nodes, node) ? document.topology.nodes[node] : undefined;
  if (entry === undefined)
    throw new EngineError(`a link leads to "${node}:${ifname}", and "${node}" is no node of the lab`);
  if (!interfaceName.test(ifname)) throw new EngineError(`"${ifname}" cannot be the name of an interface`);
  return { node, ifname, isBridge: entry.kind === 'bridge' };
}

function readLinks(document: LabDocument): ContainerEnd[][] {
  return (document.topology.links ?? []).map((link) => {
    if ('endpoint' in link) {
      const { node, interface: ifname } = link.endpoint as { node: string; interface: string };
      return [readEnd(document, node, ifname)];
    }
    const { endpoints } = link as { endpoints: [string, string] };
    return endpoints.map((end) => {
      const [node = '', ifname = ''] = end.split(':');
      return readEnd(document, node, ifname);
    });
  });
}

/** The first address of the subnet, which Docker gives its bridge. */
function gatewayOf(prefix: string | undefined): string | undefined {
  const [, network, last, length] = /^(\d+\.\d+\.\d+)\.(\d+)\/(\d+)$/.exec(prefix ?? '') ?? [];
  return network === undefined ? undefined : `${network}.${Number(last) + 1}/${length}`;
}

const maxBytes = 16 * 1024 * 1024;

export type LabName = Pick<ContainerLab, 'name' | 'instance' | 'file'>;

async function readDocument(given: string): Promise<LabName & { readonly document: LabDocument }> {
  const source = await readTextFile(given, maxBytes);
  const { parse } = await import('yaml');
  const parsed = labSchema.safeParse(parse(source, { maxAliasCount: 0 }));
  if (!parsed.success) {
    const reasons = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new EngineError(`${given} is no lab file that netlab writes`, reasons.slice(0, 10));
  }
  const { name } = parsed.data;
  const instance = `clab.${name}`;
  if (!isContainerLab(instance)) throw new EngineError(`"${name}" cannot be the name of a lab`);
  return { name, instance, file: await realpath(given), document: parsed.data };
}

/** Which lab the file describes, whether or not the lab can run here. */
export async function readLabName(given: string): Promise<LabName> {
  const { name, instance, file } = await readDocument(given);
  return { name, instance, file };
}

/** @throws EngineError with every reason why the lab cannot run here. */
export async function readLabFile(
  context: Pick<EngineContext, 'home'>,
  given: string,
): Promise<ContainerLab> {
  const { document, ...lab } = await readDocument(given);
  const roots = await readRoots(context, document);
  const problems = problemsOf(document, roots);
  if (problems.length > 0)
    throw new EngineError(`the lab ${lab.name} cannot run in namespaces: ${problems.join('; ')}`);
  const entries = Object.entries(document.topology.nodes).filter(([, { kind }]) => kind !== 'bridge');
  const place = { directory: path.dirname(lab.file), roots };
  return {
    ...lab,
    gateway: gatewayOf(document.mgmt?.['ipv4-subnet']),
    nodes: await Promise.all(entries.map(async (entry) => readNode(document, entry, place))),
    links: readLinks(document),
  };
}
