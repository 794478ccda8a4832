/** The description of the API refuses what the service refuses for a rule about several fields, and takes what it takes. */
import { describe, expect, test } from '@jest/globals';
import { jobRowSchema, viewOfRow } from '../../src/cluster/model/job-row.ts';
import { submitJob } from '../../src/http/routers/jobs.ts';
import { routes } from '../../src/http/routers/routes.ts';
import { parseJobRequest } from '../../src/jobs/model/job-request.ts';
import { actions, specOf, type Action } from '../../src/labs/model/actions.ts';
import { brokenRule, optionClashes } from '../../src/labs/model/option-rules.ts';
import { parseOutboundUrl } from '../../src/lib/net/outbound-url.ts';
import { replyProblems, requestProblems } from '../support/api-schemas.ts';
import { sampleRow } from '../support/sample-job.ts';

/** Sound values of the options that a rule is about. */
const values = {
  nodes: ['h1'],
  command: ['id'],
  template: 'motd',
  nodeFilter: ['h1'],
} as const;
const valueOf = (name: string): unknown => values[name as keyof typeof values];
const needed = (action: Action): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries((specOf(action).needs ?? []).map((name) => [name, valueOf(name)])),
  ...(specOf(action).isOfService === true && { scenarioPath: 'scenario.yml' }),
});

const isTakenBySchema = (body: object): boolean => requestProblems(submitJob, body).length === 0;

/** As the service checks a job, without the files and the labs of a machine. */
function isTakenByService(body: object): boolean {
  try {
    const { action, options, callbackUrl, topologyUrl } = parseJobRequest(body);
    for (const url of [callbackUrl, topologyUrl]) if (url !== undefined) parseOutboundUrl('url', url);
    return brokenRule(action, options) === undefined;
  } catch {
    return false;
  }
}

describe('a job', () => {
  const withoutOne = actions.flatMap((action) =>
    (specOf(action).needs ?? []).flatMap((name) => {
      const { [name]: given, ...others } = needed(action);
      const empty = Array.isArray(given) ? [{ action, ...others, [name]: [] }] : [];
      return [{ action, ...others }, ...empty];
    }),
  );
  const clashing = optionClashes.flatMap((clash) =>
    clash.actions.map((action) => ({
      action,
      ...needed(action),
      ...Object.fromEntries(clash.given.map(([name, value]) => [name, value ?? valueOf(name)])),
    })),
  );
  const named = (name: string): object => JSON.parse(`{"${name}":{"__proto__":"x"}}`) as object;
  const ofValues: readonly object[] = [
    { action: 'exec', nodes: ['h1'], command: ['', 'x'] },
    { action: 'exec', nodes: ['h1'], command: ['-x'] },
    { action: 'collect', collectTar: 'host:file' },
    { action: 'collect', collectSuffix: '/x' },
    { action: 'down', nodeFilter: [] },
    { action: 'scenario' },
    {
      action: 'scenario',
      scenarioPath: 'a.yml',
      scenario: { flows: [{ from: 'a', to: 'b' }], each: { of: 'link' } },
    },
    { action: 'up', callbackUrl: 'http://user@lab.example/' },
    { action: 'up', topologyUrl: 'https://user:word@lab.example/x' },
    ...['labels', 'set', 'topology'].map((name) => ({ action: 'up', ...named(name) })),
  ];

  const ofSource = { action: 'down', source: { git: 'https://git.example/a.git' } };

  test.each([...withoutOne, ...clashing, ...ofValues, ofSource])('is refused by both: %j', (body) => {
    expect({ service: isTakenByService(body), schema: isTakenBySchema(body) }).toEqual({
      service: false,
      schema: false,
    });
  });

  test.each([
    ...actions.map((action) => ({ action, ...needed(action) })),
    { action: 'exec', nodes: ['h1'], command: ['echo', '', '-x'] },
    // Options of other actions are ignored.
    { action: 'down', multilabId: 'auto' },
    { action: 'up', multilabId: 'auto', snapshot: false },
    { action: 'up', cleanup: true, nodeFilter: ['h1'] },
    { action: 'up', callbackUrl: 'http://lab.example/@x', labels: { a: 'b' }, topology: { name: 'x' } },
    { action: 'up', workspace: 'auto', topologyPath: 'x.yml' },
    {
      action: 'up',
      workspace: 'auto',
      source: { git: 'https://git.example/a.git', ref: 'pull/1', path: 'x' },
    },
  ])('is taken by both: %j', (body) => {
    expect({ service: isTakenByService(body), schema: isTakenBySchema(body) }).toEqual({
      service: true,
      schema: true,
    });
  });

  test('of a host that is away, of whose request only the action is known, is as the description says', () => {
    const row = jobRowSchema.parse({ ...sampleRow, action: 'exec' });
    const getJob = routes.find(({ operationId }) => operationId === 'getJob')!;
    expect(replyProblems(getJob, 200, 'application/json', viewOfRow(row, 'one'))).toEqual([]);
  });

  // tests/http/workspace-jobs.test.ts has the refusals of the service.
  test.each([
    { action: 'up', workspace: 'auto' },
    { action: 'down', workspace: 'auto', topology: 'x' },
  ])('in a workspace of its own has a topology: %j', (body) => {
    expect(isTakenBySchema(body)).toBe(false);
  });
});

describe.each([
  {
    id: 'changeLab',
    taken: [{ ttlSeconds: 60 }, { expiresAt: null }],
    refused: [{}, { ttlSeconds: 60, expiresAt: null }],
  },
  {
    id: 'beginSession',
    taken: [{ token: 'tok_x' }, { user: 'ops', password: 'x' }],
    refused: [
      {},
      { user: 'ops' },
      { password: 'x' },
      { token: 'tok_x', user: 'ops' },
      { token: 'x', more: 1 },
    ],
  },
  {
    id: 'putImpairment',
    taken: [{ delayMs: 1 }, { delayMs: 0, lossPercent: 1 }],
    refused: [{}, { delayMs: 0 }, { delayMs: 1, more: 1 }],
  },
  {
    id: 'execInNode',
    taken: [{ command: ['ls', '-l'] }],
    refused: [{ command: ['-l'] }, { command: ['ls'], more: 1 }],
  },
])('the body of $id', ({ id, taken, refused }) => {
  const route = routes.find(({ operationId }) => operationId === id)!;

  test.each<object>(taken)('is taken by both: %j', (body) => {
    expect(() => route.body!.parse(body)).not.toThrow();
    expect(requestProblems(route, body)).toEqual([]);
  });

  test.each<object>(refused)('is refused by both: %j', (body) => {
    expect(() => route.body!.parse(body)).toThrow();
    expect(requestProblems(route, body)).not.toEqual([]);
  });
});
