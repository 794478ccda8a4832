/** `lab create`: a topology file becomes a lab, on paper. Also the first half of `lab up`. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { sizeOf, type EngineContext, type Verbosity } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { readTextFile } from '../system/files.ts';
import type { Finding, Lab, TopologyOverrides } from '../core/model.ts';
import { snapshotName } from '../core/names.ts';
import { findingsMax } from '../topology/report.ts';
import { writeSnapshot } from './snapshot.ts';
import { readTopology } from './read-lab.ts';

export interface TopologySource extends Omit<TopologyOverrides, 'directory'> {
  /** As on the command line: a file, or a directory with a `topology.yml`; the current directory when absent. */
  readonly file?: string;
}

/** What of a file is read: enough that whatever is too large for a topology is reported as that. */
const readMaxBytes = 16_777_216;

/** The topology file as people name it in messages. */
export function topologyFileOf(cwd: string, { file }: TopologySource): string {
  const usual = 'topology.yml';
  if (file === undefined) return usual;
  const found = statSync(path.resolve(cwd, file), { throwIfNoEntry: false });
  return found?.isDirectory() === true ? path.join(file, usual) : file;
}

async function readText(file: string): Promise<string> {
  try {
    return await readTextFile(file, readMaxBytes);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new EngineError(`there is no topology file ${file}`);
    throw new EngineError(`cannot read the topology file: ${messageOf(error)}`);
  }
}

/** What begins a line about it. */
const placeOf = (file: string, { position }: Finding): string =>
  position === null ? '' : `${file}:${position.line}:${position.column}: `;

/** @throws EngineError with every error of the topology. */
export async function computeLab(context: EngineContext, source: TopologySource): Promise<Lab> {
  const { file: _given, ...overrides } = source;
  const file = topologyFileOf(context.cwd, source);
  const absolute = path.resolve(context.cwd, file);
  const text = await readText(absolute);
  const result = readTopology(text, { ...overrides, directory: path.dirname(absolute) });
  for (const warning of result.warnings) {
    context.err(`${placeOf(file, warning)}warning: ${warning.message}\n`);
  }
  if (result.ok) return result.lab;
  const lines = result.errors.map((error) => `${placeOf(file, error)}${error.message}`);
  const [first = ''] = lines;
  // The sentence says it already.
  if (lines.length === 1) throw new EngineError(`1 error in the topology: ${first}`);
  const count = lines.length > findingsMax ? `more than ${findingsMax} errors` : `${lines.length} errors`;
  throw new EngineError(`${count} in the topology; the first: ${first}`, lines);
}

export async function create(
  context: EngineContext,
  options: Verbosity & { readonly source: TopologySource },
): Promise<void> {
  const lab = await computeLab(context, options.source);
  await writeSnapshot(context.cwd, lab);
  if (!options.quiet) context.out(`Created ${snapshotName}: lab ${lab.name}, ${sizeOf(lab)}\n`);
}
