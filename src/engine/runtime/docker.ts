/**
 * The commands of Docker that netlab, Ansible and the service call, for nodes in namespaces. `docker exec` is a shell
 * script (`bin/docker`), because netlab calls it often; it hands all other commands to this file. If Docker is on this
 * machine as well, its containers are listed too, and everything else is left to it.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { formatRows, type Row } from './docker-format.ts';
import { nodeRootOf, whyMissing } from './images.ts';
import { runInForeground } from '../system/run-program.ts';
import { outputOf, realProgram, runReal } from './real-program.ts';
import { nodeDirectory, processOf, readLabRecords, type LabRecord } from './lab-records.ts';

interface Container {
  readonly lab: LabRecord;
  readonly node: LabRecord['nodes'][number];
  /** Of its first process; undefined when it does not run. */
  readonly pid: number | undefined;
}

async function containers(context: EngineContext): Promise<readonly Container[]> {
  const labs = await readLabRecords(context);
  return labs.flatMap((lab) =>
    lab.nodes.map((node) => ({ lab, node, pid: processOf(context, lab.instance, node.container) })),
  );
}

/** When its first process was recorded, in ms since 1970: a restart begins anew. */
function startOf(context: EngineContext, { lab, node }: Container): number {
  const file = path.join(nodeDirectory(context, lab.instance, node.container), 'pid');
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.parse(lab.startedAt);
}

/** `Up 5 minutes`, as Docker words it. */
function statusOf(context: EngineContext, container: Container): string {
  if (container.pid === undefined) return 'Exited (0)';
  const seconds = Math.max(1, Math.round((Date.now() - startOf(context, container)) / 1_000));
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const;
  const [length, name] = units.find(([size]) => seconds >= 2 * size) ?? [1, 'seconds'];
  return `Up ${Math.round(seconds / length)} ${name}`;
}

/** With the labels of containerlab. */
function listed(context: EngineContext, container: Container): Row {
  const { lab, node, pid } = container;
  return {
    ID: node.container,
    Names: node.container,
    Image: node.image,
    State: pid === undefined ? 'exited' : 'running',
    Status: statusOf(context, container),
    Mounts: '',
    Labels: { containerlab: lab.name, 'clab-node-name': node.name, 'clab-topo-file': lab.file },
  };
}

function inspected({ node, pid }: Container): Row {
  return {
    Name: `/${node.container}`,
    Config: { Image: node.image, User: '', Hostname: node.name },
    State: { Status: pid === undefined ? 'exited' : 'running', Pid: pid ?? 0 },
  };
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** An option that netlab does not use. */
class UnknownOption extends EngineError {}

function read(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UnknownOption(`this docker stands in for labs in namespaces: ${(error as Error).message}`);
  }
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** A command line, and Docker itself if it is on this machine. */
interface Asked {
  readonly words: readonly string[];
  readonly args: readonly string[];
  readonly docker: string | undefined;
}

async function ps(context: EngineContext, { words, args, docker }: Asked): Promise<number> {
  const { values } = read(args, {
    all: { ...flag, short: 'a' },
    'no-trunc': flag,
    filter: { ...text, short: 'f', multiple: true },
    format: text,
  });
  const filters = (values['filter'] ?? []) as string[];
  // Labs in namespaces have no networks of Docker.
  const isNone = filters.some((filter) => filter.startsWith('network='));
  const all = isNone ? [] : await containers(context);
  const rows = all.filter(({ pid }) => values['all'] === true || pid !== undefined);
  const format = (values['format'] as string | undefined) ?? '{{.Names}}\t{{.Image}}\t{{.Status}}';
  context.out(
    formatRows(
      rows.map((row) => listed(context, row)),
      format,
    ),
  );
  context.out(await outputOf(docker, words));
  return 0;
}

async function inspect(context: EngineContext, { words, args, docker }: Asked): Promise<number> {
  const { values, positionals } = read(args, { format: { ...text, short: 'f' } });
  const all = new Map((await containers(context)).map((one) => [one.node.container, one]));
  const rows = positionals.flatMap((name) => all.get(name) ?? []).map(inspected);
  const others = positionals.filter((name) => !all.has(name));
  const format = values['format'] as string | undefined;
  if (rows.length > 0 || docker === undefined)
    context.out(format === undefined ? `${JSON.stringify(rows, null, 2)}\n` : formatRows(rows, format));
  if (others.length === 0) return 0;
  if (docker !== undefined)
    return runInForeground(docker, [
      // `inspect` or `container inspect`, as it was asked.
      ...words.slice(0, words.length - args.length),
      ...(format === undefined ? [] : ['--format', format]),
      ...others,
    ]);
  for (const name of others) context.err(`Error: No such container: ${name}\n`);
  return 1;
}

/** Nothing is printed for an image that is not there. */
async function listImages(context: EngineContext, { words, docker }: Asked): Promise<number> {
  const { values, positionals } = read(words.slice(2), { format: text });
  const rows: Row[] = [];
  for (const image of positionals) {
    const root = await nodeRootOf(context, image);
    if (root === undefined || whyMissing(root) !== undefined) continue;
    const [repository = '', tag = 'latest'] = image.split(/:(?=[^:/]*$)/);
    rows.push({ Repository: repository, Tag: tag, ID: root.image?.id.slice(0, 12) ?? 'machine' });
  }
  context.out(formatRows(rows, (values['format'] as string | undefined) ?? '{{.Repository}}:{{.Tag}}'));
  context.out(await outputOf(docker, words));
  return 0;
}

async function logs(context: EngineContext, { words, args, docker }: Asked): Promise<number> {
  const { values, positionals } = read(args, {
    follow: { ...flag, short: 'f' },
    tail: { ...text, short: 'n' },
  });
  const [name = ''] = positionals;
  const container = (await containers(context)).find(({ node }) => node.container === name);
  if (container === undefined) {
    if (docker !== undefined) return runInForeground(docker, words);
    throw new EngineError(`No such container: ${name}`);
  }
  const file = path.join(nodeDirectory(context, container.lab.instance, name), 'log');
  const lines = values['tail'] === undefined || values['tail'] === 'all' ? '+1' : String(values['tail']);
  return runInForeground('tail', ['-n', lines, ...(values['follow'] === true ? ['-F'] : []), '--', file]);
}

/** Ansible wants to know the version of the server (community.docker, plugins/connection/docker.py). */
const versionText =
  'Client: lab-api, namespaces of this machine instead of containers\nServer version: 26.1.0\n';

const commands: Readonly<Record<string, (context: EngineContext, asked: Asked) => Promise<number>>> = {
  version: (context) => {
    context.out(versionText);
    return Promise.resolve(0);
  },
  ps,
  inspect,
  logs,
  'container inspect': async (context, asked) => inspect(context, { ...asked, args: asked.words.slice(2) }),
  'image ls': listImages,
  // Labs in namespaces have none.
  'network ls': async (context, { words, docker }) => {
    context.out(await outputOf(docker, words));
    return 0;
  },
};

/** Runs one command line of Docker, without `docker`; returns the exit code. */
export async function runDocker(
  context: EngineContext,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const docker = realProgram('docker', env);
  const [first = '', second = ''] = words;
  const name = [`${first} ${second}`, first].find((each) => Object.hasOwn(commands, each)) ?? '';
  const command = commands[name];
  try {
    if (command !== undefined) return await command(context, { words, args: words.slice(1), docker });
  } catch (error) {
    if (docker === undefined || !(error instanceof UnknownOption)) throw error;
  }
  if (docker !== undefined) return runReal(docker, words, env);
  throw new EngineError(
    `this docker stands in for labs in namespaces, and has no "${`${first} ${second}`.trim()}"`,
  );
}
