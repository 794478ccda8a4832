import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { BatchPhase, ScriptPhase } from '../../src/engine/namespaces/phases.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const programs = path.join(root, 'programs');
const gate = path.join(root, 'gate');
const neverMs = 2 ** 31 - 1;

/** Programs in the place of `ip` and `nsenter`, which stop part-way until the gate is written to. */
beforeAll(() => {
  mkdirSync(programs);
  execFileSync('mkfifo', [gate]);
  const program = (name: string, text: string) =>
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('ip', `dd bs=4096 count=2 of=/dev/null 2>/dev/null; cat ${gate} >/dev/null; cat >/dev/null`);
  program('nsenter', `cat >/dev/null; case $1 in *-slow) cat ${gate} >/dev/null ;; esac`);
});

/** The progress reports of the phase; the gate opens when the part `awaited` is done. */
function saidBy(phase: BatchPhase | ScriptPhase, everyMs: number, awaited: number): number[] {
  const args = [JSON.stringify(phase), root, String(everyMs), gate, String(awaited)];
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  const program = path.resolve('tests/fixtures/programs/run-phase.mjs');
  return JSON.parse(
    execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }),
  ) as number[];
}

/** 40,960 bytes with their line feeds. */
const batch: BatchPhase = { kind: 'batch', title: 'links', lines: Array<string>(640).fill('x'.repeat(63)) };
const scriptsOf = (names: readonly string[]): ScriptPhase => ({
  kind: 'scripts',
  title: 'nodes',
  scripts: names.map((name) => ({ namespace: `lab-${name}`, commands: [], batch: [] })),
});
const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

test('a batch says how much of it is done: what may still be in the buffer of the program does not count', () => {
  const said = saidBy(batch, 1, 0.1);
  expect(said).toContain(0.1);
  expect(said).toEqual(sorted(said));
  expect(said.every((fraction) => fraction >= 0 && fraction <= 0.9)).toBe(true);
});

test('scripts say how many of them have ended', () => {
  const said = saidBy(scriptsOf(['a', 'b', 'c', 'slow']), 1, 0.75);
  expect(said).toContain(0.75);
  expect(said).toEqual(sorted(said));
});

test('a phase that ends before it would say something for the first time says nothing', () => {
  expect(saidBy(scriptsOf(['a', 'b']), neverMs, 1)).toEqual([]);
});
