import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  annotationsFile,
  positionsIn,
  withPositions,
} from '../../../../../src/labs/drivers/containerlab/annotations-file.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const { pathOf } = annotationsFile;

const node = (id: unknown, x: unknown, y: unknown) => ({ id, position: { x, y } });
const textOf = (document: unknown): string => JSON.stringify(document);
const documentOf = (text: string | undefined): unknown => JSON.parse(text ?? 'null');
/** One node, r1, and a number that means something to the editor alone. */
const withNumber = (number: string): string =>
  `{"nodeAnnotations":[{"id":"r1","position":{"x":1,"y":2}}],"zoom":${number}}`;
const moved = { r1: { x: 7, y: 8 } };

describe('the positions', () => {
  test('of nodes, of networks and of clouds are told; of one that is named twice, those of the node', () => {
    const text = textOf({
      freeTextAnnotations: [node('text', 9, 9)],
      cloudNodeAnnotations: [node('internet', 5, 6), node('br0', 8, 8)],
      networkNodeAnnotations: [node('br0', 3, 4), node('r1', 9, 9)],
      nodeAnnotations: [node('r1', 1.5, -2), node('r1', 0, 0)],
    });
    expect(positionsIn(text)).toEqual({
      r1: { x: 1.5, y: -2 },
      br0: { x: 3, y: 4 },
      internet: { x: 5, y: 6 },
    });
  });

  test.each<[string, unknown]>([
    ['a word', 'r2'],
    ['a node without a name', { position: { x: 1, y: 1 } }],
    ['a node that is called by a number', node(2, 1, 1)],
    ['a node without a place', { id: 'r2' }],
    ['a node with half a place', { id: 'r2', position: { x: 1 } }],
    ['a place that is a word', node('r2', 'left', 'top')],
    ['a place farther away than any picture', node('r2', 1_000_001, 0)],
  ])('of a list with %s are those of the others', (_what, odd) => {
    expect(positionsIn(textOf({ nodeAnnotations: [odd, node('r1', 1, 2)] }))).toEqual({ r1: { x: 1, y: 2 } });
  });

  test('of a document without any are none', () => {
    expect(positionsIn('{}')).toEqual({});
  });
});

describe('what is no such document', () => {
  test.each([
    '',
    '{"nodeAnnotations":[',
    'null',
    '[]',
    '{"nodeAnnotations":{"r1":{}}}',
    '{"nodeAnnotations":[],"cloudNodeAnnotations":"none"}',
  ])('is neither read nor written: %j', (text) => {
    expect(positionsIn(text)).toBeUndefined();
    expect(withPositions(text, moved)).toBeUndefined();
  });
});

describe('a node that is moved', () => {
  test('keeps what else is told of it, and the others stay where they are', () => {
    const text = textOf({
      viewer: { grid: true },
      nodeAnnotations: [
        { id: 'r1', icon: 'router', position: { x: 1, y: 2, locked: true }, label: '1.0' },
        node('r2', 3, 4),
      ],
      freeTextAnnotations: [{ id: 'r1', text: 'a \\ "note" of 123456789012345678901234567890' }],
    });
    expect(documentOf(withPositions(text, moved))).toEqual({
      viewer: { grid: true },
      nodeAnnotations: [
        { id: 'r1', icon: 'router', position: { x: 7, y: 8, locked: true }, label: '1.0' },
        node('r2', 3, 4),
      ],
      freeTextAnnotations: [{ id: 'r1', text: 'a \\ "note" of 123456789012345678901234567890' }],
    });
  });

  test.each([undefined, null, 'left', [1, 2], {}, { x: 7 }])(
    'gets a whole place instead of %j',
    (position) => {
      const text = textOf({ nodeAnnotations: [{ id: 'r1', position }] });
      expect(documentOf(withPositions(text, moved))).toEqual({ nodeAnnotations: [node('r1', 7, 8)] });
    },
  );

  test('is moved where it was found: a network stays one', () => {
    const text = textOf({ networkNodeAnnotations: [node('br0', 1, 2)] });
    expect(documentOf(withPositions(text, { br0: { x: 7, y: 8 } }))).toEqual({
      networkNodeAnnotations: [node('br0', 7, 8)],
    });
  });
});

test.each<[string, object, object]>([
  ['in the list of nodes', { nodeAnnotations: [node('r2', 3, 4)] }, node('r2', 3, 4)],
  ['in a new one where there is none', { viewer: 1 }, {}],
])('a node that the file does not have is added %s', (_where, before, first) => {
  const after = documentOf(withPositions(textOf(before), moved));
  const others = 'nodeAnnotations' in before ? [first] : [];
  expect(after).toEqual({ ...before, nodeAnnotations: [...others, node('r1', 7, 8)] });
});

describe('the text', () => {
  const document = { nodeAnnotations: [{ id: 'r1', position: { x: 1, y: 2 } }] };

  test.each<[string, string]>([
    ['on one line', JSON.stringify(document)],
    ['in two columns', `${JSON.stringify(document, null, 2)}\n`],
    ['in tabs, without an end', JSON.stringify(document, null, '\t')],
    ['with the ends of lines of Windows', `${JSON.stringify(document, null, 4)}\n`.replaceAll('\n', '\r\n')],
    ['with empty lines behind it', `${JSON.stringify(document, null, 2)}\n\n`],
  ])('%s stays so, with nothing but the numbers changed', (_form, text) => {
    expect(withPositions(text, { r1: { x: 1, y: 2 } })).toBe(text);
    expect(withPositions(text, moved)).toBe(text.replace(/1(,\s*"y":\s*)2/, '7$18'));
  });

  test('that begins with empty lines keeps its columns', () => {
    const text = JSON.stringify(document, null, 3);
    expect(withPositions(`\n\n${text}`, { r1: { x: 1, y: 2 } })).toBe(text);
  });
});

describe('numbers', () => {
  test.each(['12345678901234567890', '-12345678901234567.5', '1234567890123456789e3', '1e400', '-1e400'])(
    'that would not be the same when written anew leave the file alone: %s',
    (number) => {
      expect(withPositions(withNumber(number), moved)).toBeUndefined();
      expect(positionsIn(withNumber(number))).toEqual({ r1: { x: 1, y: 2 } });
    },
  );

  test.each([
    '0.30000000000000004',
    '-100.00000000000001',
    '1.7976931348623157e+308',
    '0.123456789012340',
    '-123456789012345e+10',
    '1E5',
  ])('that stay the same, in other words perhaps, do not: %s', (number) => {
    const after = documentOf(withPositions(withNumber(number), moved));
    expect(after).toMatchObject({ nodeAnnotations: [node('r1', 7, 8)], zoom: Number(number) });
  });
});

test('is looked for beside the topology of the lab, if there is one', async () => {
  const directory = mkdtempSync(path.join(root, 'lab-'));
  const lab = { instance: 'demo', directory, entry: undefined };
  expect(await pathOf(lab)).toBeUndefined();
  writeFileSync(path.join(directory, 'a.clab.yml'), 'name: other\n');
  writeFileSync(path.join(directory, 'b.clab.yml'), 'name: demo\n');
  expect(await pathOf(lab)).toBe(path.join(directory, 'b.clab.yml.annotations.json'));
});
