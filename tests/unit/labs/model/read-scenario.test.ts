import { expect, it } from '@jest/globals';
import { readScenario } from '../../../../src/labs/model/read-scenario.ts';
import { msOf } from '../../../../src/labs/model/scenario.ts';

const sound = `title: any
flows:
  - {from: h1, to: h2}
each: {of: link}
hold: 10s
`;

it('reads a scenario', () => {
  const { scenario, placeOf } = readScenario(sound, 'a.yml');
  expect(placeOf(['flows', '0', 'to'])).toBe('a.yml:3:20');
  expect(scenario).toEqual({
    title: 'any',
    flows: [{ from: 'h1', to: 'h2' }],
    each: { of: 'link' },
    hold: '10s',
  });
});

it.each([
  ['flows: [', 'a.yml:1:'],
  ['- 1', 'a.yml:1:1: scenario: must be an object'],
  ['', 'a.yml:1:1: scenario: must be an object'],
  [sound.replace('h2}', 'h2, rat: 5}'), 'a.yml:3:29: flows.0: there is no field "rat"'],
  [sound.replace('10s', 'soon'), 'a.yml:5:7: hold: must be seconds or a duration'],
  [sound.replace('10s', '2h'), 'a.yml:5:7: hold: must be seconds or a duration'],
  [sound.replace('10s', '3601s'), 'a.yml:5:7: hold: must be seconds or a duration'],
  [sound.replace('10s', '3601'), 'a.yml:5:7: hold: must be at most 3600'],
  [sound.replace('each: {of: link}\n', ''), 'a.yml:1:1: each: is required, or "faults"'],
  [sound.replace('link', 'links'), 'a.yml:4:12: each.of: must be one of link, node, pair'],
  [
    'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: &d [*c, *c]\ne: &e [*d, *d]\nf: &f [*e, *e]\ng: [*f, *f]',
    'a.yml: has too many aliases',
  ],
  ['- '.repeat(30_000), 'a.yml: has more than 100 levels of nesting'],
  ['? [a]\n: b', 'a.yml: a key must be a word, not a list or a map'],
  ['title: a\nflows: []\ntitle: b', 'a.yml:3:1: the key is there twice'],
  ['title: a: b', 'a.yml:1:8: a second colon in this value'],
  [`title: ${'x'.repeat(70_000)}`, 'a.yml: must not have over 65536 bytes'],
])('says where a mistake is: %#', (text, message) => {
  expect(() => readScenario(text, 'a.yml')).toThrow(message);
});

it.each([
  ['1e-9', 0],
  ['0.5', 500],
  ['500ms', 500],
  ['1.5m', 90_000],
  ['3599.9s', 3_599_900],
  ['60m', 3_600_000],
  ['1h', 3_600_000],
])('takes durations of an hour at most: %s', (text, ms) => {
  const { hold } = readScenario(sound.replace('10s', text), 'a.yml').scenario;
  expect(hold === undefined ? undefined : msOf(hold)).toBe(ms);
});

it('takes other fields in the place of its own', () => {
  const { scenario } = readScenario('flows: [{from: h1, to: h2}]', 'a.yml', {
    each: { of: 'node' },
    hold: '3s',
  });
  expect(scenario).toEqual({ flows: [{ from: 'h1', to: 'h2' }], each: { of: 'node' }, hold: '3s' });
});
