import { describe, expect, test } from '@jest/globals';
import { closest, didYouMean, misspelt } from '../../../../src/lib/text/did-you-mean.ts';

describe('the closest word', () => {
  test.each([
    { word: 'nodes', of: ['links', 'nodes'], found: 'nodes' },
    { word: 'ndoes', of: ['nodes'], found: 'nodes' },
    { word: 'noddes', of: ['nodes'], found: 'nodes' },
    { word: 'NODES', of: ['nodes'], found: 'nodes' },
    { word: 'nodes', of: ['NODES'], found: 'NODES' },
    { word: 'node', of: ['nodes', 'nose', 'mode'], found: 'nodes' },
    // Two letters in a word of five or more, one in a shorter one, none in the shortest.
    { word: 'devvicce', of: ['device'], found: 'device' },
    { word: 'devvvicce', of: ['device'], found: undefined },
    { word: 'rola', of: ['role'], found: 'role' },
    { word: 'rala', of: ['role'], found: undefined },
    { word: 'mtu', of: ['mtus'], found: 'mtus' },
    { word: 'ca', of: ['cab'], found: undefined },
    // A swap at both ends, and two of them.
    { word: 'abcd', of: ['bacd'], found: 'bacd' },
    { word: 'abcde', of: ['badce'], found: 'badce' },
    { word: 'abcdef', of: ['badcfe'], found: undefined },
    // The same letters in other places are no swap.
    { word: 'abcde', of: ['cdabe'], found: undefined },
    { word: 'word', of: [], found: undefined },
  ])('to $word in $of', ({ word, of, found }) => expect(closest(word, of)).toBe(found));

  test('is the nearer one, and the first of two as near', () => {
    expect(closest('groups', ['grouqz', 'group', 'groupz'])).toBe('group');
    expect(closest('groups', ['grouqz', 'groups'])).toBe('groups');
  });
});

test.each([
  { word: 'UP', found: 'up' },
  { word: 'ip', found: 'up' },
  { word: 'u', found: 'up' },
  { word: 'pu', found: 'up' },
  { word: 'dowm', found: 'down' },
  { word: 'dowmm', found: undefined },
  { word: 'x', found: undefined },
])('$word is a misspelt $found', ({ word, found }) => expect(misspelt(word, ['up', 'down'])).toBe(found));

test('the end of a sentence asks for it, or says nothing', () => {
  expect(didYouMean('noods', ['links', 'nodes'])).toBe('; did you mean "nodes"?');
  expect(didYouMean('groups', ['links', 'nodes'])).toBe('');
});
