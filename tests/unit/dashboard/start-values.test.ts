/** Turns the form that starts a lab into a request. */
import { expect, test } from '@jest/globals';
import type { Field } from '../../../web/dashboard/src/pages/labs/start/fields.ts';
import { editableTopology } from '../../../web/dashboard/src/parts/topology-of.ts';
import {
  freshWorkspace,
  topologyName,
  wrongPlace,
} from '../../../web/dashboard/src/pages/labs/start/place.ts';
import { errorsByField, optionsOf, secondsOf } from '../../../web/dashboard/src/pages/labs/start/values.ts';
import {
  gitName,
  gitRequest,
  noGit,
  wrongGit,
} from '../../../web/dashboard/src/pages/labs/start/git-source.ts';
import { sourceOf, startLink, startText } from '../../../web/dashboard/src/parts/start-link.ts';

test.each([
  ['2 h', 7200],
  ['90', 5400],
  ['90 s', 90],
  ['1 h 30 min', 5400],
  ['1d12h', 129_600],
  ['1.5 h', 5400],
  ['1,5 h', 5400],
  ['0', 0],
  ['', undefined],
  ['soon', undefined],
  ['2 weeks', undefined],
  ['-2 h', undefined],
  ['h', undefined],
])('%j is %j seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds));

const field = (name: string, control: Field['control']): Field => ({ name, label: name, help: '', control });

const fields = [
  field('multilabId', { kind: 'number', minimum: 1, maximum: 200, words: ['auto'] }),
  field('ttlSeconds', { kind: 'duration' }),
  field('labels', { kind: 'pairs' }),
  field('plugin', { kind: 'list' }),
  field('noConfig', { kind: 'switch' }),
  field('device', { kind: 'text', maxLength: undefined }),
];

test('empty fields are not sent', () => {
  const values = { multilabId: '', labels: '', plugin: [], noConfig: false };
  expect(optionsOf(fields, values)).toEqual({ options: {}, wrong: new Map() });
});

test('numbers, times, labels and lists are sent with their types', () => {
  const values = {
    multilabId: '7',
    ttlSeconds: '2 h',
    labels: 'course = bgp\n\nnote=a=b',
    plugin: ['bgp.session'],
    noConfig: true,
    device: 'frr',
  };
  expect(optionsOf(fields, values).options).toEqual({
    multilabId: 7,
    ttlSeconds: 7200,
    labels: { course: 'bgp', note: 'a=b' },
    plugin: ['bgp.session'],
    noConfig: true,
    device: 'frr',
  });
  expect(optionsOf(fields, { multilabId: 'auto' }).options).toEqual({ multilabId: 'auto' });
});

test('a wrong value is reported at its field', () => {
  const { options, wrong } = optionsOf(fields, { ttlSeconds: 'soon', labels: 'course' });
  expect(options).toEqual({});
  expect([...wrong.keys()]).toEqual(['ttlSeconds', 'labels']);
  expect(wrong.get('labels')).toBe('"course" is not name=value');
});

test('errors of the service appear at their fields; the others are for the whole form', () => {
  const errors = [
    { field: 'multilabId', message: 'is too high' },
    { field: 'labels.course', message: 'is too long' },
    { field: 'body', message: 'is too big' },
  ];
  const { at, isAllPlaced } = errorsByField(errors, ['multilabId', 'labels', 'label']);
  expect(Object.fromEntries(at)).toEqual({ multilabId: 'is too high', labels: 'course is too long' });
  expect(isAllPlaced).toBe(false);
  expect(errorsByField(errors.slice(0, 2), ['multilabId', 'labels']).isAllPlaced).toBe(true);
  expect(errorsByField([], ['labels']).isAllPlaced).toBe(false);
});

test.each([
  { kind: 'choose' },
  { kind: 'template', path: '/srv/a b/topology.yml' },
  { kind: 'workspace', name: 'tuesday', file: undefined },
  { kind: 'workspace', name: 'tuesday', file: 'labs/one.yml' },
  { kind: 'text' },
  { kind: 'url' },
  { kind: 'git' },
] as const)('an address leads back to its source: %j', (source) => {
  expect(sourceOf(startText(source))).toEqual(source);
  expect(new URL(startLink(source), 'http://lab').searchParams.get('start')).toBe(startText(source));
});

test('an unknown address opens the choice of a source', () => {
  for (const text of ['template:', 'workspace:', 'nothing', 'template'])
    expect(sourceOf(text)).toEqual({ kind: 'choose' });
});

test('a new workspace is named after its topology, with allowed characters', () => {
  const named = (path: string): string => freshWorkspace({ kind: 'template', path }, 0);
  expect(named('/srv/two-hosts/topology.yml')).toBe('two-hosts-0000');
  expect(named('/srv/BGP Lab 1.yaml')).toBe('bgp-lab-1-0000');
  expect(named(`/srv/${'x'.repeat(90)}.yml`)).toMatch(/^[a-z0-9][a-z0-9._-]{0,62}$/);
  expect(named('/srv/äöü.yml')).toMatch(/^[a-z0-9][a-z0-9._-]{0,62}$/);
  expect(freshWorkspace({ kind: 'text' }, 0.999_999)).toMatch(/^lab-[a-z0-9]{4}$/);
});

test('a directory of a repository becomes a source, and gives the workspace its name', () => {
  const whole = { ...noGit, url: ' https://git.example.org/team/course.git ' };
  expect(gitRequest(whole)).toEqual({ source: { git: 'https://git.example.org/team/course.git' } });
  const part = { ...whole, ref: 'main', path: 'labs/ospf/', topology: 'lab.yml' };
  expect(gitRequest(part)).toEqual({
    source: { git: 'https://git.example.org/team/course.git', ref: 'main', path: 'labs/ospf/' },
    topologyPath: 'lab.yml',
  });
  expect([whole, part, noGit, { ...noGit, url: 'https://git.example.org' }].map(gitName)).toEqual([
    'course',
    'ospf',
    '',
    '',
  ]);
  expect(freshWorkspace({ kind: 'git' }, 0, gitName(part))).toBe('ospf-0000');
  for (const url of ['', ' ', 'git@host:course.git', 'ssh://host/course.git'])
    expect([...wrongGit({ ...noGit, url }).keys()]).toEqual(['source.git']);
  expect(wrongGit(part).size).toBe(0);
});

test('an empty name does not mean the directory of the service', () => {
  expect(wrongPlace({ kind: 'workspace', text: ' ' }).has('workspace')).toBe(true);
  expect(wrongPlace({ kind: 'directory', text: '' }).has('workdir')).toBe(true);
  expect(wrongPlace({ kind: 'beside', text: '' }).size).toBe(0);
});

test('the files of typed topologies have names that their lab CLI accepts', () => {
  expect([1, 2].map((nth) => topologyName('netlab', nth))).toEqual(['topology.yml', 'topology-2.yml']);
  expect(topologyName('containerlab', 1)).toBe('topology.clab.yml');
});

test('the topology of a job that failed is edited where it is', () => {
  type Told = Parameters<typeof editableTopology>[0];
  const of = (request: object, more: Partial<Told> = {}) =>
    editableTopology({
      action: 'up',
      workspace: 'my lab',
      request: { action: 'up', ...request },
      ...more,
    });
  expect(of({ topologyPath: 'a/b.yml' })).toEqual({
    kind: 'file',
    href: '/workspaces/my%20lab?file=a%2Fb.yml',
  });
  expect(of({})).toEqual({ kind: 'file', href: '/workspaces/my%20lab' });
  expect(of({ topology: '(kept)' })).toEqual({ kind: 'own' });
  expect(of({ topologyUrl: 'http://x' }, { workspace: null })).toEqual({ kind: 'own' });
  expect(of({ topologyPath: '/srv/t.yml' })).toBeUndefined();
  expect(of({ topologyPath: 't.yml', workdir: 'sub' })).toBeUndefined();
  expect(of({}, { workspace: null })).toBeUndefined();
  expect(of({}, { action: 'down' })).toBeUndefined();
});
