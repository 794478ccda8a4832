/** Reads the tests of a file: a topology with `validate`, or a file with nothing but tests. */
import { LineCounter } from 'yaml';
import { messageOf } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { Lab, LabTest } from '../core/lab.ts';
import { readTextFile } from '../system/files.ts';
import { Findings, summaryOf, type Finding } from '../topology/findings.ts';
import { readTests } from '../topology/read-tests.ts';
import { isMapping, Source } from '../topology/source.ts';
import { waitsOf } from './read-lab.ts';

const maxBytes = 16_777_216;

const findingText = (file: string, { position, message }: Finding): string =>
  `${position === null ? file : `${file}:${position.line}:${position.column}`}: ${message}`;

/**
 * `kind` is the expected kind of the file: a topology may have no tests. @throws EngineError with every error of the
 * file.
 */
export async function readTestsFrom(
  { err }: Pick<EngineContext, 'err'>,
  { file, kind }: { readonly file: string; readonly kind: 'tests' | 'topology' },
  lab: Pick<Lab, 'nodes'>,
): Promise<readonly LabTest[]> {
  const text = await readTextFile(file, maxBytes).catch((error: unknown) => {
    throw new EngineError(`cannot read the tests: ${messageOf(error)}`);
  });
  const lines = new LineCounter();
  const findings = new Findings(lines);
  const source = new Source(text, lines, findings);
  const { root } = source;
  const hasValidate = 'validate' in root;
  if (!hasValidate && ('nodes' in root || 'links' in root)) {
    if (kind === 'topology') return [];
    // The same message as netlab (netsim/cli/validate/source.py).
    throw new EngineError(`${file}: The source file contains "nodes" or "links" but no "validate" element`);
  }
  const defaults = root['defaults'];
  const tests = readTests(hasValidate ? root['validate'] : root, {
    source,
    findings,
    nodeNames: new Set(lab.nodes.map(({ name }) => name)),
    waits: isMapping(defaults) ? waitsOf(defaults) : {},
  });
  for (const warning of findings.warnings) err(`${findingText(file, warning)}\n`);
  if (!findings.hasErrors) return tests;
  const errors = findings.errors.map((error) => findingText(file, error));
  throw new EngineError(summaryOf(errors), errors);
}
