/** Random edits of drawings and of their text: the file always means what the drawing shows, and nothing else changes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { history, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { EditorState, type Transaction } from '@codemirror/state';
import { expect, test } from '@jest/globals';
import { Lexer } from 'yaml';
import { makeRandom } from '../../../scripts/lib/random.mjs';
import { changesFor } from '../../../web/dashboard/src/parts/drawing/changes-for.ts';
import type { Drawing, Edit, TextChange } from '../../../web/dashboard/src/parts/drawing/drawing.ts';
import { readDrawing } from '../../../web/dashboard/src/parts/drawing/read-topology.ts';
import { canonical, modelAfter, modelOf } from '../../support/drawing-model.ts';
import { randomEdit, typed } from '../../support/random-edits.ts';
import { repoFiles, repoRoot } from '../../support/repo-files.ts';

const sequences = 300;
const editsEach = 12;

const starts = [...repoFiles('tests/fixtures'), ...repoFiles('examples')].filter((file) =>
  /fixtures\/(?:drawing|addressing|containerlab)\/.*\.yml$|topology\.yml$/.test(file),
);

/** The text as the editor has it, with its history. */
class Editor {
  state: EditorState;

  constructor(text: string) {
    this.state = EditorState.create({ doc: text, extensions: history() });
  }

  get text(): string {
    return this.state.doc.toString();
  }

  readonly dispatch = (transaction: Transaction): void => {
    this.state = transaction.state;
  };

  change(changes: TextChange | readonly TextChange[]): void {
    this.dispatch(this.state.update({ changes }));
  }
}

/** The last text that was read: the next edit begins with it. */
let last: { readonly text: string; readonly drawing: Drawing } | undefined;

function drawn(file: string, text: string): Drawing {
  if (last?.text === text) return last.drawing;
  const read = readDrawing(file, text);
  if (read.kind !== 'drawing') throw new Error(`line ${read.line}: ${read.message}\n${text}`);
  last = { text, drawing: read.drawing };
  return read.drawing;
}

function byHand(text: string, changes: readonly TextChange[]): string {
  return changes.reduceRight(
    (result, { from, to, insert }) => result.slice(0, from) + insert + result.slice(to),
    text,
  );
}

/** The first list without the items of the second one. */
function minus<T>(list: readonly T[], others: readonly T[]): T[] {
  const left = [...others];
  return list.filter((item) => {
    const index = left.indexOf(item);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

const commentsIn = (text: string): string[] =>
  [...new Lexer().lex(text)].filter((token) => token.startsWith('#'));

const textsOf = (text: string, entries: readonly { readonly span: Drawing['nodes'][number]['span'] }[]) =>
  entries.flatMap(({ span }) => (span ? [text.slice(span.from, span.to)] : []));

/** The text of the nodes and links that an edit has nothing to do with. */
function untouched(text: string, { nodes, links }: Drawing, edit: Edit): string[] {
  const changed = new Set<string>();
  if (edit.kind === 'rename-node') changed.add(edit.name);
  if (edit.kind === 'set-node') changed.add(edit.node);
  if (edit.kind === 'remove' || edit.kind === 'set-nodes') for (const name of edit.nodes) changed.add(name);
  const gone = edit.kind === 'remove' ? edit.links : 'link' in edit ? [edit.link] : [];
  const isChanged = (one: { readonly attributes: unknown; readonly ends?: unknown }): boolean =>
    edit.kind === 'rename-node' && JSON.stringify(one).includes(edit.name);
  return textsOf(text, [
    ...nodes.filter((node) => !changed.has(node.name) && !isChanged(node)),
    ...links.filter(
      ({ id, ends, bridge, attributes }) =>
        !gone.includes(id) &&
        ![bridge ?? '', ...ends.map(({ node }) => node)].some((name) => changed.has(name)) &&
        !isChanged({ ends, attributes }),
    ),
  ]);
}

/** The entries that an edit removes, with the lines that they are in. */
function removedText(text: string, { nodes, links }: Drawing, edit: Edit): string {
  if (edit.kind !== 'remove') return 'value' in edit && edit.value === undefined ? text : '';
  const gone = [
    ...nodes.filter(({ name }) => edit.nodes.includes(name)),
    ...links.filter(
      ({ id, ends }) => edit.links.includes(id) || ends.some(({ node }) => edit.nodes.includes(node)),
    ),
  ];
  return gone
    .map(({ span }) => text.slice(span?.from, text.indexOf('\n', span?.to) + 1 || undefined))
    .join('\n');
}

/** Comments that are lost with something that was not removed. A comment behind a member of a group goes with it. */
function lostComments(before: string, now: string, drawing: Drawing, edit: Edit): string[] {
  const removed = removedText(before, drawing, edit);
  const isOwnLine = (comment: string): boolean =>
    before.split('\n').some((line) => line.trim() === comment.trim());
  const isMembership = edit.kind === 'remove' || edit.kind === 'set-group';
  return minus(commentsIn(before), commentsIn(now)).filter(
    (comment) => !removed.includes(comment) && !(isMembership && !isOwnLine(comment)),
  );
}

interface Sequence {
  readonly file: string;
  readonly editor: Editor;
  readonly random: () => number;
  /** The refused edits, by kind. */
  readonly refused: Map<string, number>;
}

/** Types something; a broken text is refused and mended. */
function typeText({ file, editor, random }: Sequence, nr: number): void {
  const before = editor.text;
  const wanted = canonical(modelOf(drawn(file, before)));
  const now = typed(random, before, nr);
  editor.change({ from: 0, to: before.length, insert: now });
  const read = readDrawing(file, now);
  const result = changesFor(file, now, { kind: 'add-node', name: 'z1', attributes: {} });
  if (read.kind === 'unreadable') expect(result.kind).toBe('refused');
  const isSame = read.kind === 'drawing' && canonical(modelOf(read.drawing)) === wanted;
  if (isSame || (read.kind === 'drawing' && now.includes(`typed${nr}:`))) return;
  editor.change({ from: 0, to: now.length, insert: before });
}

/** containerlab: the ports of new links are free ones. */
function withPorts(expected: ReturnType<typeof modelOf>, drawing: Drawing, count: number): void {
  const added = drawing.links.slice(-count).flatMap(({ ends }) => ends);
  const wanted = expected.links.slice(-count).flatMap(({ ends }) => ends);
  for (const [nr, end] of wanted.entries()) end.interface = added[nr]?.interface ?? null;
  const ports = drawing.links.flatMap(({ ends }) => ends.map((end) => `${end.node}:${end.interface}`));
  for (const end of added)
    expect(ports.filter((port) => port === `${end.node}:${end.interface}`)).toHaveLength(1);
}

function draw({ file, editor, random, refused }: Sequence): void {
  const before = editor.text;
  const drawing = drawn(file, before);
  const model = modelOf(drawing);
  const edit = randomEdit(random, model);
  if (!edit) return;
  const result = changesFor(file, before, edit);
  const said = JSON.stringify({ ...edit, ...('copies' in edit && { copies: [...edit.copies] }) });
  if (result.kind === 'refused') {
    const reason = `${edit.kind}: ${result.message.replace(/^\S+ (?=comes)/, '')}`;
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
    return;
  }
  editor.change(result.changes);
  expect(editor.text).toBe(result.text);
  expect(byHand(before, result.changes)).toBe(result.text);
  const now = drawn(file, result.text);
  const expected = modelAfter(model, edit);
  if (edit.kind === 'add-links' && drawing.format === 'containerlab')
    withPorts(expected, now, edit.links.length);
  expect(`${said}\n${canonical(modelOf(now))}`).toBe(`${said}\n${canonical(expected)}`);
  const texts = textsOf(result.text, [...now.nodes, ...now.links]);
  expect(minus(untouched(before, drawing, edit), texts)).toEqual([]);
  expect([said, ...lostComments(before, result.text, drawing, edit)]).toEqual([said]);
  expect(new Set(now.links.map(({ id }) => id)).size).toBe(now.links.length);
}

function play(seed: number, refused: Map<string, number>): void {
  const random = makeRandom(seed);
  const file = starts[seed % starts.length] ?? '';
  const first = readFileSync(path.join(repoRoot, file), 'utf8').replaceAll('\r\n', '\n');
  const editor = new Editor(first);
  const sequence = { file, editor, random, refused };
  try {
    for (let nr = 0; nr < editsEach; nr += 1)
      if (random() < 0.2) typeText(sequence, nr);
      else draw(sequence);
    const end = editor.text;
    while (undoDepth(editor.state) > 0) undo(editor);
    expect(editor.text).toBe(first);
    while (redoDepth(editor.state) > 0) redo(editor);
    expect(editor.text).toBe(end);
  } catch (error) {
    throw new Error(`seed ${seed}, ${file}: ${String(error)}\n${editor.text}`, { cause: error });
  }
}

test(`${sequences} sequences of random edits change nothing else, and can be undone`, () => {
  const refused = new Map<string, number>();
  for (let seed = 0; seed < sequences; seed += 1) play(seed, refused);
  const count = [...refused.values()].reduce((sum, each) => sum + each, 0);
  expect([count < 0.03 * sequences * editsEach, ...refused]).toEqual([true, ...refused]);
});
