/** Where in a topology a place of its text is, also while the text is not yet YAML. */
import { describe, expect, test } from '@jest/globals';
import { keyPathAt, placeAt } from '../../../web/dashboard/src/pages/workspaces/editor/topology-place.ts';

/** The place of the `|` in a text. */
function at(text: string) {
  const offset = text.indexOf('|');
  const { path, kind, word, from } = placeAt(text.replace('|', ''), offset);
  expect(from).toBe(offset - word.length);
  return [kind, path.join('/'), word];
}

describe('a place', () => {
  test.each([
    ['at the beginning', '|', ['key', '', '']],
    ['in a key of the topology', 'name: x\nno|', ['key', '', 'no']],
    ['below a key', 'nodes:\n  |', ['key', 'nodes', '']],
    ['below a node', 'nodes:\n  r1:\n    dev|', ['key', 'nodes/r1', 'dev']],
    ['after one node, in the next', 'nodes:\n  r1:\n    id: 1\n  r|', ['key', 'nodes', 'r']],
    ['out of it again', 'nodes:\n  r1:\n    id: 1\n|', ['key', '', '']],
    ['in a value', 'nodes:\n  r1:\n    device: fr|', ['value', 'nodes/r1/device', 'fr']],
    ['in a value with a dotted key', 'defaults.device: |', ['value', 'defaults/device', '']],
    ['below a dotted key', 'a: 1\ndefaults.multilab:\n  |', ['key', 'defaults/multilab', '']],
    ['in a flow map', 'nodes:\n  r1: { role: router, de|', ['key', 'nodes/r1', 'de']],
    ['in a value of a flow map', 'nodes:\n  r1: { device: |', ['value', 'nodes/r1/device', '']],
    ['in a flow list', 'module: [ ospf, b|', ['item', 'module/[]', 'b']],
    ['in a list within a map', 'nodes:\n  r1: { module: [|', ['item', 'nodes/r1/module/[]', '']],
    ['in an entry of a list', 'links:\n  - r1-|', ['item', 'links/[]', 'r1-']],
    ['in an entry at the column of its key', 'links:\n- |', ['item', 'links/[]', '']],
    ['in a map in a list', 'links:\n- r1:\n  |', ['key', 'links/[]', '']],
    ['below an end of a link', 'links:\n- r1:\n    ip|', ['key', 'links/[]/r1', 'ip']],
    ['in a list of a node', 'nodes:\n  r1:\n    module:\n    - o|', ['item', 'nodes/r1/module/[]', 'o']],
    ['behind a list', 'links:\n- a-b\nn|', ['key', '', 'n']],
    ['behind a comment', 'nodes:\n# links:\n  |', ['key', 'nodes', '']],
    ['in a long text', 'message: |'.replace('|', '>') + '\n  nodes:\n  de|', ['value', 'message', 'de']],
    ['behind quotes with signs', "message: '{ [ :'\nna|", ['key', '', 'na']],
  ])('%s', (_, text, expected) => {
    expect(at(text)).toEqual(expected);
  });

  test('with lines that end as on Windows', () => {
    const text = 'nodes:\r\n  r1:\r\n    de';
    expect(placeAt(text, text.length)).toMatchObject({ path: ['nodes', 'r1'], kind: 'key', word: 'de' });
  });
});

test('a key differs from a value', () => {
  const text = 'nodes:\n  r1:\n    device: frr\ndefaults.device: linux\n';
  expect(keyPathAt(text, text.indexOf('device'))).toEqual(['nodes', 'r1', 'device']);
  expect(keyPathAt(text, text.indexOf('frr'))).toBeUndefined();
  expect(keyPathAt(text, text.indexOf('defaults'))).toEqual(['defaults', 'device']);
});
