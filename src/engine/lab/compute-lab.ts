/** Finds the topology file of a command and computes its lab: all of `lab create`, and the first half of `lab up`. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { Lab } from '../core/lab.ts';
import { readTextFile } from '../system/files.ts';
import type { TopologyOverrides } from '../topology/apply-overrides.ts';
import { summaryOf, type Finding } from '../topology/findings.ts';
import { readLab } from './read-lab.ts';

/** The options of the command line that concern the topology. */
export interface TopologyArguments extends TopologyOverrides {
  /** A file, or a directory with a `topology.yml`, as on the command line; the current directory when absent. */
  readonly file?: string;
}

/** The read limit for a file. It is above the maximum size of a topology, so that a large file gets its own error. */
const readMaxBytes = 16_777_216;

/** The path of the topology file for messages and the registry: relative to `cwd` if the user gave a relative path. */
export function topologyFileOf(cwd: string, { file }: TopologyArguments): string {
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

/** The prefix of a line about a finding: the place in the file, if it has one. */
const placeOf = (file: string, { position }: Finding): string =>
  position === null ? '' : `${file}:${position.line}:${position.column}: `;

/**
 * Reads the topology file and computes its lab; prints its warnings.
 * @throws EngineError with every error of the topology.
 */
export async function computeLab(context: EngineContext, given: TopologyArguments): Promise<Lab> {
  const { file: _, ...overrides } = given;
  const file = topologyFileOf(context.cwd, given);
  const absolute = path.resolve(context.cwd, file);
  const text = await readText(absolute);
  const result = readLab(text, { ...overrides, directory: path.dirname(absolute) });
  for (const warning of result.warnings) {
    context.err(`${placeOf(file, warning)}warning: ${warning.message}\n`);
  }
  if (result.ok) return result.lab;
  const lines = result.errors.map((error) => `${placeOf(file, error)}${error.message}`);
  // A single error needs no list above the sentence: the sentence contains it.
  if (lines.length === 1) throw new EngineError(summaryOf(lines));
  throw new EngineError(summaryOf(lines), lines);
}
