import { LineCounter } from 'yaml';
import { readLab, type ReadLabOptions } from '../../src/engine/lab/read-lab.ts';
import type { Lab } from '../../src/engine/core/lab.ts';
import { Findings, type Finding } from '../../src/engine/topology/findings.ts';
import { Source, type Reading } from '../../src/engine/topology/source.ts';

/** Nothing on the command line; the file is in a directory called `lab`. */
const noOverrides: ReadLabOptions = { directory: '/tmp/lab', plugins: [], settings: [] };

/** The lab of a topology that has no error; throws with all of them otherwise. */
export function labOf(text: string, overrides: Partial<ReadLabOptions> = {}): Lab {
  const result = readLab(text, { ...noOverrides, ...overrides });
  if (result.ok) return result.lab;
  throw new Error(textsOf(result.errors).join('\n'));
}

/** `3:7 message`. */
export function textsOf(findings: readonly Finding[]): string[] {
  return findings.map(({ position, message }) =>
    position === null ? message : `${position.line}:${position.column} ${message}`,
  );
}

/** A topology whose YAML was read and nothing else, for tests of one of the readers. */
export function readingOf(text: string): Reading {
  const lines = new LineCounter();
  const findings = new Findings(lines);
  return { source: new Source(text, lines, findings), findings };
}

/** How the engine ends what it says of something that netlab has, and it has not. */
export const install = 'install netlab to use it';
export const unsupported = `that the bundled engine does not support; ${install}`;

/** A topology that is refused. */
export interface RefusedTopology {
  readonly name: string;
  readonly text: string;
  /** Every error of it. */
  readonly errors: readonly string[];
}

/** The errors of a topology, as text; none for one that is right. */
export function errorsOf(text: string, overrides: Partial<ReadLabOptions> = {}): string[] {
  const result = readLab(text, { ...noOverrides, ...overrides });
  return result.ok ? [] : textsOf(result.errors);
}

/** The warnings of a topology, as text. */
export function warningsOf(text: string, overrides: Partial<ReadLabOptions> = {}): string[] {
  return textsOf(readLab(text, { ...noOverrides, ...overrides }).warnings);
}

/** A topology of routers, each linked to the next, with both families. */
export function routersInALine(count: number): string {
  const nodes = Array.from({ length: count }, (_, index) => `  r${index + 1}: {role: router}`);
  const links = Array.from({ length: count - 1 }, (_, index) => `- r${index + 1}-r${index + 2}`);
  const pools =
    'addressing: {loopback: {ipv4: 10.8.0.0/16, ipv6: 2001:db8::/40}, p2p: {ipv6: 2001:db8:ff00::/40}}';
  return [pools, 'nodes:', ...nodes, 'links:', ...links].join('\n');
}
