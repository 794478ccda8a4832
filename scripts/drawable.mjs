#!/usr/bin/env node
// Opens every topology of netlab, the engine and containerlab below the given directories in the drawing editor, without the
// page, and prints how many are drawn whole, which parts are not drawn, and which files are not read, with reasons. To
// each drawing it adds a node, and checks that the other lines stay as they are. Nothing is written.
//   scripts/drawable.mjs DIR... [--list]
// --list: the name of every file that is not drawn whole too. Exit code 1 when an added node changes another line.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { readArguments } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { failed, must, say } from './lib/words.mjs';

/** @typedef {import('../web/dashboard/src/parts/drawing/read-topology.ts').ReadDrawing} ReadDrawing */
/** @typedef {import('../web/dashboard/src/parts/drawing/changes-for.ts').EditResult} EditResult */
/** @typedef {import('../web/dashboard/src/parts/drawing/drawing.ts').Edit} Edit */

/**
 * @typedef {object} Editor
 * @property {(path: string, text: string) => ReadDrawing} readDrawing
 * @property {(path: string, text: string, edit: Edit) => EditResult} changesFor
 */

/** @returns {Promise<Editor>} */
async function loadEditor() {
  const outfile = path.join(temporaryDirectory('drawable'), 'drawing.cjs');
  const parts = path.join(root, 'web', 'dashboard', 'src', 'parts', 'drawing');
  const contents = "export * from './read-topology.ts'; export * from './changes-for.ts';";
  const stdin = { contents, resolveDir: parts };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'warning' });
  return createRequire(import.meta.url)(outfile);
}

/** @typedef {{ file: string, verdict: string, isWrong?: boolean }} Outcome */

const whole = 'drawn whole';

/** The message without the names of one file. @param {string} message */
const general = (message) => message.replaceAll(/"[^"]*"|(?<=plugin )[\w., -]+(?= may)/g, '…');

/** Adds a node and takes it away again. @param {Editor} editor @param {string} file @param {string} text */
function problemOf({ changesFor }, file, text) {
  const result = changesFor(file, text, { kind: 'add-node', name: 'drawn_1', attributes: {} });
  if (result.kind === 'refused') return `refuses a new node: ${general(result.message)}`;
  // Changes are undone in their order: each moves nothing that stands before it.
  const undone = result.changes.reduce(
    (now, { from, to, insert }) =>
      now.slice(0, from) + text.slice(from, to) + now.slice(from + insert.length),
    result.text,
  );
  return undone === text ? undefined : 'an added node changes more';
}

/** @param {Editor} editor @param {string} file @returns {Outcome | undefined} undefined for a file that is no topology */
function outcomeOf(editor, file) {
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  if (!/^\uFEFF?(?:nodes|links|groups|topology)\b/m.test(text)) return undefined;
  const read = editor.readDrawing(file, text);
  if (read.kind === 'unreadable') {
    // Templates of Go and Jinja are no YAML.
    const isTemplate = /^\s*\{[{%]/m.test(text);
    return { file, verdict: `not read: ${isTemplate ? 'a template' : general(read.message)}` };
  }
  const { nodes, unseen } = read.drawing;
  const problem = problemOf(editor, file, text);
  if (problem !== undefined) return { file, verdict: problem, isWrong: problem.startsWith('an added') };
  if (unseen.length > 0)
    return {
      file,
      verdict: `not drawn: ${[...new Set(unseen.map(({ message }) => general(message)))].join('; ')}`,
    };
  return { file, verdict: nodes.length === 0 ? 'without nodes' : whole };
}

/** @param {readonly Outcome[]} outcomes @param {boolean} isList */
function show(outcomes, isList) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const { file, verdict } of outcomes) files.set(verdict, [...(files.get(verdict) ?? []), file]);
  say(`${outcomes.length} topologies\nfiles`);
  for (const [verdict, names] of [...files].toSorted(([, one], [, other]) => other.length - one.length)) {
    say(`${String(names.length).padStart(5)}  ${verdict}`);
    if (isList && verdict !== whole) for (const name of names) say(`         ${name}`);
  }
  if (outcomes.some(({ isWrong }) => isWrong)) process.exitCode = 1;
}

const { values, positionals } = readArguments({ list: { type: 'boolean', default: false } });
try {
  must(positionals.length > 0, 'give directories with topologies');
  for (const directory of positionals) must(existsSync(directory), `there is no directory ${directory}`);
  const editor = await loadEditor();
  const files = positionals.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name) && existsSync(path.join(directory, name)))
      .toSorted()
      .map((name) => path.join(directory, name)),
  );
  show(
    files.flatMap((file) => outcomeOf(editor, file) ?? []),
    values.list,
  );
} catch (error) {
  failed(error);
  process.exitCode = 1;
}
