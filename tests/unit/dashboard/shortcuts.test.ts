import { describe, expect, test } from '@jest/globals';
import { KeySequence } from '../../../web/dashboard/src/frame/shortcuts.ts';
import { titleOf } from '../../../web/dashboard/src/frame/titles.ts';
import { placeOf, subjectOf } from '../../../web/dashboard/src/parts/places.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };

/** The action of the last of these keys, pressed at intervals of 100 ms. */
function pressed(keys: readonly string[], isTyping = false, pauseMs = 100) {
  const sequence = new KeySequence();
  return keys.map((key, nth) => sequence.read({ ...plain, key }, isTyping, nth * pauseMs)).at(-1);
}

describe('keys', () => {
  test.each([
    [['g', 'l'], { kind: 'go', href: '/' }],
    [['g', 'j'], { kind: 'go', href: '/jobs' }],
    [['g', 'g', 'w'], { kind: 'go', href: '/workspaces' }],
    [['g', 'h'], { kind: 'go', href: '/hosts' }],
    [['g', 's'], { kind: 'go', href: '/settings' }],
    [['?'], { kind: 'help' }],
    [['j'], undefined],
    [['g', 'x', 'j'], undefined],
    [['g', 'x'], undefined],
    [['g'], undefined],
  ])('%j', (keys, action) => {
    expect(pressed(keys)).toEqual(action);
  });

  test('do nothing in text fields, or after a long pause', () => {
    expect(pressed(['g', 'j'], true)).toBeUndefined();
    expect(pressed(['?'], true)).toBeUndefined();
    expect(pressed(['g', 'j'], false, 1_600)).toBeUndefined();
  });

  test('Ctrl K and Cmd K search, also in text fields; other combinations belong to the browser', () => {
    const read = (stroke: Partial<typeof plain> & { key: string }) =>
      new KeySequence().read({ ...plain, ...stroke }, true, 0);
    expect(read({ key: 'k', ctrlKey: true })).toEqual({ kind: 'search' });
    expect(read({ key: 'K', metaKey: true })).toEqual({ kind: 'search' });
    expect(read({ key: 'k', ctrlKey: true, altKey: true })).toBeUndefined();
    expect(read({ key: 'k' })).toBeUndefined();
    expect(read({ key: 'j', ctrlKey: true })).toBeUndefined();
  });

  test('a key with Ctrl between the two ends what g has begun', () => {
    const sequence = new KeySequence();
    sequence.read({ ...plain, key: 'g' }, false, 0);
    sequence.read({ ...plain, key: 'c', ctrlKey: true }, false, 1);
    expect(sequence.read({ ...plain, key: 'j' }, false, 2)).toBeUndefined();
  });
});

describe('paths', () => {
  test.each([
    ['/', 'Labs', undefined],
    ['/labs/a%2Fb', 'Labs', 'a/b'],
    ['/jobs', 'Jobs', undefined],
    ['/jobs/job-1', 'Jobs', 'job-1'],
    ['/workspaces/x', 'Workspaces', 'x'],
    ['/settings', 'Settings', undefined],
    ['/settings/', 'Settings', undefined],
    ['/nothing', undefined, undefined],
    ['/labs/%E0%A4%A', 'Labs', '%E0%A4%A'],
  ])('%s is in %s, of %s', (path, label, subject) => {
    expect(placeOf(path)?.label).toBe(label);
    expect(subjectOf(path)).toBe(subject);
  });

  test.each([
    ['/', undefined, 'Labs · lab-api'],
    ['/jobs', undefined, 'Jobs · lab-api'],
    ['/jobs/job-1', 'failed', 'failed · job-1 · Jobs · lab-api'],
    ['/jobs/job-1', undefined, 'job-1 · Jobs · lab-api'],
    ['/nothing', undefined, 'Page not found · lab-api'],
  ])('%s, %s: the window is called %s', (path, state, title) => {
    expect(titleOf(path, state)).toBe(title);
  });
});
