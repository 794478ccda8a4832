/** `lab collect`: the addresses, routes, neighbours and settings of every node, for people and for programs. */
import { constants } from 'node:fs';
import { open, realpath, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { counted, sayUnlessQuiet, type Verbosity } from '../core/wording.ts';
import { chooseLab } from '../state/choose-lab.ts';
import { readNodeRecords, type NodeRecord } from '../state/node-records.ts';
import { namespaceFile } from '../system/namespace-files.ts';
import { runProgram } from '../system/run-program.ts';
import { temporaryName } from '../system/files.ts';
import { CollectDirectory } from './collect-directory.ts';
import { findNode } from './find-node.ts';
import { configurationText, parseConfiguration, type NodeConfiguration } from './node-configuration.ts';

/** The path of the archive; `.tar.gz` is added to a name without a dot. */
function archiveFile(tar: string, labDirectory: string): string {
  return path.resolve(labDirectory, path.basename(tar).includes('.') ? tar : `${tar}.tar.gz`);
}

/**
 * Whether the first bytes are those of gzip (RFC 1952, 2.3.1), or of a tar file: `ustar` in its first header
 * (tar(5)).
 */
async function isArchive(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return false;
    const { buffer } = await handle.read({ buffer: Buffer.alloc(262) });
    return (buffer[0] === 0x1f && buffer[1] === 0x8b) || buffer.toString('latin1', 257) === 'ustar';
  } finally {
    await handle.close();
  }
}

/** Called before collecting. @throws EngineError when the archive cannot be written there. */
async function checkArchive(file: string, output: string): Promise<void> {
  const parent = await realpath(path.dirname(file)).catch(() => path.dirname(file));
  const collected = await realpath(output).catch(() => output);
  if (isInside(collected, parent)) {
    throw new EngineError(`the archive ${file} cannot be in the directory that it contains, ${output}`);
  }
  try {
    if (await isArchive(file)) return;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new EngineError(`${file} already exists and is not an archive; move it, or choose another --tar`);
}

/** Writes the archive whole or not at all. Users type its name, sometimes a wrong one, as root: only an archive is replaced. */
async function writeArchive(collected: CollectDirectory, file: string): Promise<void> {
  // Checked again: a symbolic link in the path may lead into the directory of the files, which exists only now.
  await checkArchive(file, collected.path);
  const temporary = temporaryName(file);
  const name = path.basename(collected.path);
  const members = collected.files.map((member) => path.join(name, member));
  const from = ['-C', path.dirname(collected.path), '--', ...members];
  try {
    const mode = file.endsWith('gz') ? '-czf' : '-cf';
    const { exitCode, stderr } = await runProgram('tar', [mode, temporary, ...from]);
    if (exitCode !== 0) throw new EngineError(`cannot write ${file}`, stderr.trim().split('\n'));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

interface CollectOptions extends Verbosity {
  /** Directory for the files, relative to the lab's directory; files of the last `collect` are removed. */
  readonly output: string;
  /** The extension of the readable files, for example `cfg`. */
  readonly suffix: string;
  /** Archive to write as well, relative to the lab's directory; `.tar.gz` is added to a name without a dot. */
  readonly tar?: string;
  /** Removes the files once they are in the archive. */
  readonly cleanup: boolean;
}

/**
 * The script that runs in each node: one shell with five programs. `parseConfiguration` splits the output at the
 * lines of dashes.
 */
const collectScript = `ip -j -d addr show
echo ---
ip -j -4 route show
echo ---
ip -j -6 route show 2>/dev/null || :
echo ---
ip -j neigh show
echo ---
cd /proc/sys
grep -s . net/ipv4/ip_forward net/ipv4/conf/*/rp_filter net/ipv6/conf/all/forwarding net/ipv6/conf/*/accept_dad || :`;

async function configurationOf(context: EngineContext, node: NodeRecord): Promise<NodeConfiguration> {
  const namespace = namespaceFile(context.runDir, node.namespace);
  const { exitCode, stdout, stderr } = await runProgram(
    'nsenter',
    [`--net=${namespace}`, 'sh', '-euc', collectScript],
    {
      signal: context.interrupted,
    },
  );
  context.interrupted.throwIfAborted();
  if (exitCode !== 0) {
    throw new EngineError(`cannot collect the configuration of ${node.name}`, stderr.trim().split('\n'));
  }
  return parseConfiguration(node, stdout);
}

async function collectNode(
  context: EngineContext,
  node: NodeRecord,
  directory: CollectDirectory,
  suffix: string,
): Promise<void> {
  const configuration = await configurationOf(context, node);
  await directory.write(`${node.name}.json`, `${JSON.stringify(configuration, null, 2)}\n`);
  await directory.write(`${node.name}.${suffix}`, configurationText(configuration));
}

/** Runs `task` for every item, as many at a time as there are processors. */
async function forEachParallel<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
}

export async function collectCommand(
  context: EngineContext,
  options: CollectOptions & { readonly instance?: string },
): Promise<void> {
  const say = sayUnlessQuiet(context, options);
  const suffix = options.suffix.replace(/^\.+/, '');
  if (suffix === 'json' || suffix === '' || suffix.includes('/')) {
    throw new EngineError(
      `the suffix "${options.suffix}" is invalid: it must not be empty, be json, or contain a slash`,
    );
  }
  const { instance, entry } = await chooseLab(context, options.instance);
  const nodes = await readNodeRecords(context.home, instance);
  for (const { name } of nodes) findNode(context, nodes, name);
  const files = nodes.flatMap(({ name }) => [`${name}.json`, `${name}.${suffix}`]);
  const output = path.resolve(entry.dir, options.output);
  const archive = options.tar === undefined ? undefined : archiveFile(options.tar, entry.dir);
  if (archive !== undefined) await checkArchive(archive, output);
  const directory = await CollectDirectory.prepare(output, files);
  say(`Collecting the configurations of ${counted(nodes.length, 'node')}\n`);
  await forEachParallel(nodes, (node) => collectNode(context, node, directory, suffix));
  say(`Collected into ${directory.path}\n`);
  if (archive === undefined) return;
  await writeArchive(directory, archive);
  say(`Created ${archive}\n`);
  if (options.cleanup) await directory.remove();
}

/** `lab collect --print`: the readable text of one node; no file is written. */
export async function printCommand(
  context: EngineContext,
  { node, instance: wanted }: { readonly node: string; readonly instance?: string },
): Promise<void> {
  const { instance } = await chooseLab(context, wanted);
  const found = findNode(context, await readNodeRecords(context.home, instance), node);
  context.out(configurationText(await configurationOf(context, found)));
}
