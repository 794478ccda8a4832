/** The mistakes in a topology that a dry run of containerlab printed with their lines. */
import { stripVTControlCharacters } from 'node:util';
import type { Finding } from '../placed-problems.ts';
import { lastError } from './error-sentence.ts';

/** `yaml: line 3: …` or `yaml: unmarshal errors: line 6: … line 10: …` (containerlab 0.79, go.yaml.in/yaml). */
const ofYaml = /^Failed to read topology file: yaml: (.*)$/;
const perLine = /\bline (\d+): (.+?)(?= line \d+: | Consult with release notes|$)/g;
/** A type in the source of containerlab. */
const ofType = /(?: not found) in type .*$/;

export function findingsIn(output: string, hasFailed: boolean): readonly Finding[] {
  const error = hasFailed ? lastError(stripVTControlCharacters(output)) : undefined;
  const lines = ofYaml.exec(error ?? '')?.[1]?.matchAll(perLine) ?? [];
  return [...lines].map(([, line, text = '']) => ({
    severity: 'error',
    text: text.replace(ofType, ' not found'),
    line: Number(line),
  }));
}
