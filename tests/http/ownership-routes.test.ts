/** Every route of the API, asked for by everybody: a route that is not in the table here fails. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Ownership } from '../../src/access/model/ownership.ts';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { People } from '../support/people.ts';

type Thing = 'job' | 'lab' | 'workspace';

interface Decision {
  /** What it is about; `all` for what shows something of everything, and `nothing` for what is nobody's. */
  readonly about: Thing | 'all' | 'nothing';
  /** Only its owner may do it, even where operators share. */
  readonly isGift?: true;
  /** That it does what it may is not tried here: `upgrade-required` comes before its handler. */
  readonly isNotTried?: true;
  /** That a name is taken cannot be kept from anybody. */
  readonly takesName?: true;
  readonly query?: string;
  readonly body?: unknown;
}

const job: Decision = { about: 'job' };
const lab: Decision = { about: 'lab' };
const workspace: Decision = { about: 'workspace' };
const all: Decision = { about: 'all', isNotTried: true };
const nothing: Decision = { about: 'nothing' };

/** The requests change nothing that the next one needs: what they ask for is refused for another reason, or was so before. */
const decisions: Readonly<Record<string, Decision>> = {
  getServiceInfo: nothing,
  getOpenApiJson: nothing,
  getOpenApiYaml: nothing,
  getReferencePage: nothing,
  getReferenceFile: { ...nothing, isNotTried: true },
  getLiveness: nothing,
  getReadiness: nothing,
  getMetrics: nothing,
  getSession: nothing,
  beginSession: nothing,
  endSession: nothing,
  // In a cluster of their own: tests/integration/cluster.
  listHosts: { ...nothing, isNotTried: true },
  getHost: { ...nothing, isNotTried: true },
  drainHost: { ...nothing, isNotTried: true },
  forgetHost: { ...nothing, isNotTried: true },
  postMcp: { ...nothing, isNotTried: true },
  listTemplates: all,
  listJobs: all,
  submitJob: all,
  listWorkspaces: all,
  followEvents: all,
  getAllStatus: all,
  listLabs: all,
  getJob: job,
  removeJob: job,
  retryJob: job,
  cancelJob: { ...job, isNotTried: true },
  getJobLog: job,
  listArtifacts: job,
  getArtifact: job,
  getWorkspace: workspace,
  putWorkspace: { ...workspace, isNotTried: true, takesName: true },
  removeWorkspace: { ...workspace, isNotTried: true },
  replaceWorkspaceOwner: { ...workspace, isGift: true, body: { owner: 'otto' } },
  listFiles: workspace,
  getFile: workspace,
  putFile: { ...workspace, body: 'text' },
  removeFile: workspace,
  getInstanceStatus: lab,
  getLab: lab,
  getLabTopology: lab,
  getLabPicture: lab,
  getLabLayout: lab,
  replaceLabLayout: { ...lab, body: { nodes: {} } },
  listLabTests: lab,
  changeLab: { ...lab, body: { ttlSeconds: 3600 } },
  replaceLabOwner: { ...lab, isGift: true, body: { owner: 'otto' } },
  execInNode: { ...lab, body: { command: ['true'] } },
  openNodeTerminal: { ...lab, isNotTried: true },
  getNodeLog: lab,
  captureInNode: { ...lab, query: '?seconds=1' },
  getImpairment: lab,
  putImpairment: { ...lab, body: { delayMs: 1 } },
  removeImpairment: lab,
};

const nameOf = { job: 'job-not-found', lab: 'instance-not-found', workspace: 'workspace-not-found' } as const;

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

test('every route has a decision', () => {
  expect(routes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(decisions).toSorted());
});

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
    places['lab'] = 'default';
    places['workspace'] = 'course';
  });

  afterAll(() => ground.let('end'));

  const targetOf = ({ path }: Route, { about, query = '' }: Decision): string =>
    path
      .replace(/:(id|name|instance)/, places[about] ?? '')
      .replace(':node', 'r1')
      .replace(':interface', 'eth1')
      .replace('*path', 'file.txt') + query;

  const cases = routes.flatMap((route) =>
    askers.map((asker) => {
      const decision = decisions[route.operationId] ?? nothing;
      const answer = expected(asker, decision, route, ownership);
      return { route, decision, asker, answer, name: route.operationId };
    }),
  );
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
