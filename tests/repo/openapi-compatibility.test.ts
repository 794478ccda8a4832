/** No client of the last release is broken by this one, and the comparison that says so sees every way to do it. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { breakingChanges } from '../../scripts/openapi/breaking-changes.mjs';
import { repoRoot } from '../support/repo-files.ts';

// eslint-disable-next-line typescript/no-explicit-any
const read = (name: string): any => JSON.parse(readFileSync(path.join(repoRoot, 'docs', name), 'utf8'));

test('docs/openapi.json breaks no client of docs/openapi-released.json', () => {
  expect(breakingChanges(read('openapi-released.json'), read('openapi.json'))).toEqual([]);
});

describe('the comparison', () => {
  // eslint-disable-next-line typescript/no-explicit-any
  type Change = (document: any) => void;
  const job = (document: Parameters<Change>[0]) => document.components.schemas.Job;
  const request = (document: Parameters<Change>[0]) => document.components.schemas.JobRequest;

  const breaks: readonly (readonly [string, Change, RegExp])[] = [
    ['a path that is gone', (d) => delete d.paths['/templates'], /^GET \/templates: is gone$/],
    [
      'an operation that is gone',
      (d) => delete d.paths['/jobs/{id}'].delete,
      /^DELETE \/jobs\/\{id\}: is gone$/,
    ],
    ['another operationId', (d) => (d.paths['/jobs'].get.operationId = 'jobs'), /called jobs now/],
    ['a field of a reply that is gone', (d) => delete job(d).properties.exitCode, /\.exitCode: is gone$/],
    ['a field of a reply that may be missing', (d) => job(d).required.pop(), /not always there now$/],
    [
      'a field of a reply of another type',
      (d) => (job(d).properties.logSize.type = 'string'),
      /may be string now$/,
    ],
    [
      'a field of a reply that may be null',
      (d) => (job(d).properties.workdir.type = ['string', 'null']),
      /may be null now$/,
    ],
    ['a field of a request that is gone', (d) => delete request(d).properties.force, /\.force: is gone$/],
    [
      'a new field that is required',
      (d) => request(d).required.push('workdir'),
      /\.workdir: is required now$/,
    ],
    [
      'a field of a request of a narrower type',
      (d) => (request(d).properties.timeoutSeconds.type = 'integer'),
      /takes no number now$/,
    ],
    ['a smaller enumeration', (d) => request(d).properties.onConflict.enum.pop(), /takes no "reject" now$/],
    ['a lower limit', (d) => (request(d).properties.ttlSeconds.maximum = 99), /maximum is 99 now$/],
    ['a new pattern', (d) => (request(d).properties.workdir.pattern = '^/'), /its pattern is \^\/ now$/],
    ['a parameter that is gone', (d) => d.paths['/jobs'].get.parameters.shift(), /parameter state: is gone$/],
    [
      'a parameter that is required',
      (d) => (d.paths['/jobs'].get.parameters[0].required = true),
      /parameter state: is required now$/,
    ],
    [
      'a body that is required',
      (d) => (d.paths['/jobs/{id}/cancel'].post.requestBody.required = true),
      /needs a body now$/,
    ],
    ['a reply that is gone', (d) => delete d.paths['/jobs/{id}/log'].get.responses['206'], /206: is gone$/],
    [
      'a media type that is gone',
      (d) => delete d.paths['/status'].get.responses['200'].content['text/plain'],
      /text\/plain: is gone$/,
    ],
    [
      'a header that is gone',
      (d) => delete d.paths['/jobs'].post.responses['202'].headers.Location,
      /header Location: is gone$/,
    ],
  ];

  test.each(breaks)('sees %s', (_, change, sentence) => {
    const after = read('openapi.json');
    change(after);
    const found = breakingChanges(read('openapi.json'), after);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((words) => !sentence.test(words))).toEqual([]);
  });

  const additions: readonly (readonly [string, Change])[] = [
    ['a new path', (d) => (d.paths['/new'] = d.paths['/healthz'])],
    ['a new field of a reply', (d) => (job(d).properties.colour = { type: 'string' })],
    ['a new optional field of a request', (d) => (request(d).properties.colour = { type: 'string' })],
    ['a new value in a reply and a request', (d) => d.components.schemas.Action.enum.push('restart')],
    ['a higher limit', (d) => (request(d).properties.ttlSeconds.maximum = 9e9)],
    ['a refusal more and one less', (d) => delete d.paths['/jobs'].post.responses['504']],
    [
      'more that may be sent and is told again',
      (d) => (request(d).properties.force.type = ['boolean', 'string']),
    ],
    ['other words', (d) => (job(d).properties.workdir.description = 'Where.')],
  ];

  test.each(additions)('has nothing against %s', (_, change) => {
    const after = read('openapi.json');
    change(after);
    expect(breakingChanges(read('openapi.json'), after)).toEqual([]);
  });
});
