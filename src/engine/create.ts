/** `lab create`: a topology file becomes a lab, on paper. Also the first half of `lab up`. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { counted, sizeOf, type EngineContext, type Verbosity } from './context.ts';
import { EngineError, TopologyError } from './engine-error.ts';
import type { Finding, Lab, TopologyOverrides } from './model.ts';
import { snapshotName } from './names.ts';
import { findingsMax } from './report.ts';
import { writeSnapshot } from './snapshot.ts';
import { readTopology } from './topology.ts';

export interface TopologySource extends Omit<TopologyOverrides, 'directory'> {
  /** As on the command line; `topology.yml` when absent. */
  readonly file?: string;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new EngineError(`there is no topology file ${file}`);
    throw new EngineError(`cannot read the topology file: ${messageOf(error)}`);
  }
}

const position = (file: string, finding: Finding): string =>
  `${file}:${finding.line}:${finding.column}: ${finding.message}`;

/** @throws EngineError with every error of the topology. */
export async function computeLab(context: EngineContext, source: TopologySource): Promise<Lab> {
  const { file = 'topology.yml', ...overrides } = source;
  const absolute = path.resolve(context.cwd, file);
  const text = await readText(absolute);
  const result = readTopology(text, { ...overrides, directory: path.dirname(absolute) });
  for (const warning of result.warnings) {
    context.err(`${file}:${warning.line}:${warning.column}: warning: ${warning.message}\n`);
  }
  if (result.ok) return result.lab;
  const details = result.errors.map((error) => position(file, error));
  const more = details.length > 1 ? `; the first: ` : ': ';
  const count =
    details.length > findingsMax ? `more than ${findingsMax} errors` : counted(details.length, 'error');
  throw new TopologyError(`${count} in the topology${more}${details[0] ?? ''}`, details);
}

export async function create(
  context: EngineContext,
  options: Verbosity & { readonly source: TopologySource },
): Promise<void> {
  const lab = await computeLab(context, options.source);
  await writeSnapshot(context.cwd, lab);
  if (!options.quiet) context.out(`Created ${snapshotName}: lab ${lab.name}, ${sizeOf(lab)}\n`);
}
