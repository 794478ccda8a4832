/** Every route of the API, asked for by everybody. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Ownership } from '../../src/access/model/ownership.ts';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { People } from '../support/people.ts';
import { decisions, nothing, type Decision } from '../support/ownership-decisions.ts';

const nameOf = {
  job: 'job-not-found',
  lab: 'instance-not-found',
  workspace: 'workspace-not-found',
  snapshot: 'snapshot-not-found',
} as const;

/** Who asks for what is otto's, as far as the answer depends on that. */
const askers = [
  'an administrator',
  'its owner',
  'another operator',
  'a viewer',
  'an operator of its directory',
  'an operator of another directory',
  'a viewer of another directory',
] as const;
type Asker = (typeof askers)[number];

function expected(asker: Asker, decision: Decision, { permission }: Route, ownership: Ownership) {
  const isChange = permission === 'operate';
  if (asker.startsWith('a viewer') && isChange) return 'forbidden';
  const { about } = decision;
  if (about === 'all' || about === 'nothing') return 'allowed';
  if (asker.endsWith('another directory')) return decision.takesName ? 'forbidden' : nameOf[about];
  const isForeign = asker === 'another operator' || asker === 'an operator of its directory';
  return isForeign && isChange && (ownership === 'strict' || decision.isGift) ? 'forbidden' : 'allowed';
}

const refusals: readonly unknown[] = ['forbidden', 'unauthorized', ...Object.values(nameOf)];

describe.each(['shared', 'strict'] as const)('with LAB_API_OWNERSHIP=%s', (ownership) => {
  const ground = makeGround();
  const other = ground.makeWorkdir('other');
  const places: Record<string, string> = {};
  const people = new People({
    'an administrator': { role: 'admin' },
    otto: { role: 'operator' },
    'another operator': { role: 'operator' },
    'a viewer': { role: 'viewer' },
    'an operator of its directory': {
      role: 'operator',
      workdirs: [`${ground.root}/labs/demo`, `${ground.dataDir}/workspaces`, `${ground.root}/labs/busy`],
    },
    'an operator of another directory': { role: 'operator', workdirs: [other] },
    'a viewer of another directory': { role: 'viewer', workdirs: [other] },
  });
  const as = (asker: string) => people.as(asker === 'its owner' ? 'otto' : asker);
  let service: RunningService;

  beforeAll(async () => {
    const env = { FAKE_LAB_LOGS: '1', LAB_API_OWNERSHIP: ownership };
    service = await startService({ ground, env, admit: people.admit });
    const up = { action: 'up', workdir: ground.workdir, topology: topologyThat() };
    const started = await service.start(up, as('otto'));
    const view = await service.request(`/jobs/${started}?wait=30`, { headers: as('otto') });
    expect(view.json).toMatchObject({ state: 'success', requestedBy: 'otto' });
    const busy = ground.makeWorkdir('busy');
    const topology = topologyThat('wait_for end');
    places['job'] = await service.start({ action: 'create', workdir: busy, topology }, as('otto'));
    await ground.waitsFor('end');
    const made = await service.request('/workspaces/course', { method: 'PUT', headers: as('otto') });
    expect(made.json).toMatchObject({ owner: 'otto' });
    const snapshot = { method: 'POST', headers: as('otto'), body: { name: 'kept' } };
    const kept = await service.request('/labs/default/snapshots', snapshot);
    expect(kept.json).toMatchObject({ name: 'kept', owner: 'otto' });
    places['lab'] = 'default';
    places['snapshot'] = 'kept';
    places['workspace'] = 'course';
  });

  afterAll(() => ground.let('end'));

  const targetOf = ({ path }: Route, { about, query = '' }: Decision): string =>
    path
      .replace(/:(id|name|instance)/, places[about] ?? '')
      .replace(':node', 'r1')
      .replace(':interface', 'eth1')
      .replace(':name', 'addressing')
      .replace('*path', 'file.txt') + query;

  const cases = routes.flatMap((route) =>
    askers.map((asker) => {
      const decision = decisions[route.operationId] ?? nothing;
      const answer = expected(asker, decision, route, ownership);
      return { route, decision, asker, answer, name: route.operationId };
    }),
  );
  /** Each with a body that is right, so that the permission decides. */
  const jobs = {
    down: {},
    collect: {},
    restart: {},
    validate: {},
    initial: {},
    config: { template: 'bgp' },
    exec: { nodes: ['h1'], command: ['true'] },
    'restart-nodes': { nodes: ['h1'] },
    scenario: { scenario: { flows: [{ from: 'h1', to: 'h2' }], each: { of: 'link' } } },
  };

  test.each(askers)(
    '%s finds in `may` of a snapshot all that is allowed, and nothing else',
    async (asker) => {
      const { json } = await service.request('/snapshots', { headers: as(asker) });
      const allowed = cases.filter(
        ({ decision, route, ...one }) =>
          decision.about === 'snapshot' &&
          route.permission === 'operate' &&
          one.asker === asker &&
          one.answer === 'allowed',
      );
      const may = (json.snapshots as { may: string[] }[]).flatMap((one) => one.may);
      expect(may.toSorted()).toEqual(allowed.map(({ name }) => name).toSorted());
    },
  );

  test.each(askers)('%s finds in `may` of a lab all that is allowed, and nothing else', async (asker) => {
    const headers = as(asker);
    const { status, json } = await service.request('/labs/default', { headers });
    const list = await service.request('/labs', { headers });
    if (asker.endsWith('another directory')) {
      expect([status, list.json.labs]).toEqual([404, []]);
      return;
    }
    expect(list.json.labs).toMatchObject([{ owner: 'otto', may: json.may }]);
    const ofLab = cases.filter(
      ({ decision, route }) => decision.about === 'lab' && route.permission === 'operate',
    );
    const allowed = ofLab.filter((one) => one.asker === asker && one.answer === 'allowed');
    const routesAllowed = allowed.map(({ name }) => name);
    const mayChange = routesAllowed.includes('changeLab');
    expect(json.may).toEqual([...(mayChange ? Object.keys(jobs) : []), ...routesAllowed]);
    for (const [action, fields] of Object.entries(mayChange ? { validate: {} } : jobs)) {
      const body = { action, instance: 'default', ...fields };
      const answer = await service.request('/jobs', { method: 'POST', body, headers });
      expect(answer.json).toMatchObject(mayChange ? { action } : { code: 'forbidden' });
      // Its end frees the directory for the jobs of the others.
      if (mayChange) await service.request(`/jobs/${answer.json.id}?wait=30`, { headers });
    }
  });

  const tried = cases.filter(({ decision, answer }) => answer !== 'allowed' || decision.isNotTried !== true);

  test.each(tried)('$asker is $answer with $name', async ({ route, decision, asker, answer }) => {
    // It is a WebSocket: node-terminal-ended.test.ts opens it.
    if (route.isWebSocket && asker !== 'a viewer') return;
    const method = route.method.toUpperCase();
    const { body } = decision;
    const options = { method, headers: as(asker), ...(body !== undefined && { body }) };
    const { status, json } = await service
      .request(targetOf(route, decision), options)
      .catch((error: unknown) => {
        throw new Error(`${method} ${route.path} as ${asker}`, { cause: error });
      })
      .then((reply) => ({ status: reply.status, json: reply.status < 400 ? {} : reply.json }));
    if (answer === 'allowed') expect(refusals).not.toContain(json.code);
    else expect({ status, code: json.code }).toMatchObject({ code: answer });
  });
});
