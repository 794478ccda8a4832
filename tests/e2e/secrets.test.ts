/** Secrets that the built service is given, looked for in every place where somebody could come upon them. */
import { beforeAll, describe, expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashPassword } from '../../src/access/passwords/password-hash.ts';
import { canary, filesBelow, secretsIn, startOf, startsOf } from '../support/canaries.ts';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import type { Reply, RequestOptions } from '../support/http-client.ts';
import { testUnless } from '../support/requirements.ts';
import {
  makeGround,
  processesOf,
  startProgram,
  topologyThat,
  type Ground,
  type RunningProgram,
} from '../support/service.ts';
import { usersFile } from '../support/users-file.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const { because, it } = testUnless(opensslMissing);

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** **A new kind of secret is a line here**, and where it is given to the service: below, or in `provoke`. */
const secrets = {
  password: canary(),
  webhookSecret: `whsec_${Buffer.from(canary()).toString('base64')}`,
  /** Of the address of the receiver of all events. */
  webhookUrl: canary(),
  /** Of a service that is started with a variable of the client. */
  clientToken: canary(),
  wrongPassword: canary(),
  bearer: canary(),
  /** Of `ann`, in the users file. */
  userPassword: canary(),
  userToken: `tok_0000000a_${canary()}`,
  /** Of a session of hers, once it has begun. */
  session: '',
  wrongSessionPassword: canary(),
  cookie: canary(),
  topologyUrlPassword: canary(),
  callbackUrlPassword: canary(),
  idempotencyKey: canary(),
  query: canary(),
  /** The first line of the key's body, once it is made. */
  tlsKey: '',
};

/** What whoever sent it is told again, and what has to be known after a restart. */
const allowed: Readonly<Partial<Record<keyof typeof secrets, readonly string[]>>> = {
  query: ['every reply'],
  // The cookie of whoever logs in.
  session: ['every reply'],
  // It names a request, and opens nothing. Records are 0600, and no reply to anybody else has it.
  idempotencyKey: ['every reply', 'the records of jobs', 'the whole data directory'],
};

/** Where something must be found, so that looking for secrets there means something. */
interface Place {
  readonly text: string;
  readonly marker: string | RegExp;
}

/** Asks as a user would, and as one who guesses; keeps every word of the replies. */
class Asker {
  readonly heard: string[] = [];
  readonly #service: RunningProgram;

  constructor(service: RunningProgram) {
    this.#service = service;
  }

  async ask(target: string, options: RequestOptions = {}): Promise<Reply> {
    const Authorization = basic('ops', secrets.password);
    const headers = { Authorization, 'X-Request-Id': 'marked', ...options.headers };
    const reply = await this.#service.request(target, { ...options, headers });
    this.heard.push(JSON.stringify(reply.headers), reply.text);
    return reply;
  }

  async post(target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.ask(target, { method: 'POST', body, headers });
  }

  /** The id of a job that must be accepted. */
  async submit(body: unknown, headers: Record<string, string> = {}): Promise<string> {
    const { status, json } = await this.post('/jobs', body, headers);
    expect(status).toBe(202);
    return String(json.id);
  }

  async up(ground: Ground, name: string, ...commands: readonly string[]): Promise<string> {
    const workdir = ground.makeWorkdir(name);
    return this.submit({ action: 'up', workdir, topology: topologyThat(...commands) });
  }

  async ended(id: string) {
    return eventually(`${id} has ended`, async () => {
      const { json } = await this.ask(`/jobs/${id}`);
      return json.finishedAt === null ? undefined : json;
    });
  }
}

/** By each kind of login, one that is wrong, and a change by each that is right. */
async function logIn(asker: Asker): Promise<void> {
  const logins = [
    { Authorization: basic('ann', secrets.userPassword) },
    { Authorization: `Bearer ${secrets.userToken}` },
  ];
  const session = { user: 'ann', password: secrets.userPassword };
  const { status, headers } = await asker.post('/session', session);
  expect(status).toBe(200);
  const [, secret = ''] = /=(ses_[^;]+)/.exec(String(headers['set-cookie'])) ?? [];
  expect(secret).not.toBe('');
  secrets.session = secret;
  for (const login of logins) expect((await asker.ask('/session', { headers: login })).status).toBe(200);
  await asker.post('/session', { ...session, password: secrets.wrongSessionPassword });
  await asker.post('/session', { token: `${secrets.userToken}x` });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_labs', arguments: {} } };
  const assistant = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  for (const login of logins) {
    expect((await asker.post('/mcp', list, { ...assistant, ...login })).status).toBe(200);
    await asker.ask('/workspaces/of-ann', { method: 'PUT', headers: login });
  }
}

/** Everything that may bring a secret to light: refusals, errors, jobs that fail, one that is killed, and whatever asks around. */
async function provoke(asker: Asker, service: RunningProgram): Promise<void> {
  const { ground } = service;
  await asker.ask('/jobs', { headers: { Authorization: basic('ops', secrets.wrongPassword) } });
  await asker.ask('/jobs', { headers: { Authorization: basic(secrets.wrongPassword, 'x') } });
  await asker.ask('/jobs', { headers: { Authorization: `Bearer ${secrets.bearer}` } });
  await asker.ask('/jobs', { headers: { Cookie: `lab-api=${secrets.cookie}` } });
  await logIn(asker);
  const { workdir } = ground;
  const url = (password: string) => `http://user:${password}@127.0.0.1:1/topology.yml`;
  await asker.post('/jobs', { action: 'up', workdir, topologyUrl: url(secrets.topologyUrlPassword) });
  const callbackUrl = url(secrets.callbackUrlPassword);
  await asker.post('/jobs', { action: 'up', workdir, topology: topologyThat(':'), callbackUrl });
  const key = { 'Idempotency-Key': secrets.idempotencyKey };
  const job = { action: 'create', workdir, topology: topologyThat(':'), labels: { marked: 'yes' } };
  await asker.ended(await asker.submit(job, key));
  await asker.submit(job, key);
  expect((await asker.post('/jobs', { ...job, labels: {} }, key)).status).toBe(422);
  await asker.post('/jobs', '{"action": nonsense', key);
  await asker.ask(`/nothing?token=${secrets.query}`);
  await asker.ask(`/jobs?nonsense=${secrets.query}`);
  const self = service.run.child.pid;
  const look = `tr '\\0' '\\n' </proc/self/environ; tr '\\0' '\\n' </proc/${self}/environ; tr '\\0' ' ' </proc/${self}/cmdline`;
  await asker.ended(await asker.up(ground, 'looks', look));
  await asker.ended(await asker.up(ground, 'fails', 'echo marked; exit 5'));
  const waits = await asker.up(ground, 'waits', 'wait_for nothing');
  await ground.waitsFor('nothing');
  const [victim] = await processesOf(waits);
  if (victim === undefined) throw new Error('the job that waits has no process');
  process.kill(-victim, 'SIGKILL');
  await asker.ended(waits);
  await asker.up(ground, 'runs-on', 'wait_for nobody');
  await ground.waitsFor('nobody');
  ground.onStatus(`tr '\\0' '\\n' </proc/self/environ >"$state/environment-of-status"`);
  for (const target of [
    '/',
    '/status',
    '/labs',
    '/metrics',
    '/openapi.json',
    '/readyz',
    '/templates',
    '/jobs',
  ])
    await asker.ask(target, { headers: { 'Cache-Control': 'no-cache' } });
}

/** Each place, with something that must be in it. */
async function placesOf(asker: Asker, service: RunningProgram): Promise<Record<string, Place>> {
  const { ground } = service;
  const files = filesBelow(ground.dataDir);
  const found = (pattern: RegExp): string =>
    Object.entries(files)
      .filter(([name]) => pattern.test(name))
      .map(([, text]) => text)
      .join('\n');
  const processes = startsOf(`FAKE_LAB_STATE=${ground.env['FAKE_LAB_STATE']}`);
  const replies: Record<string, string> = {};
  for (const target of ['/metrics', '/status', '/openapi.json'])
    replies[target] = (await asker.ask(target)).text;
  await service.run.prints(/request requestId=marked/);
  return {
    'the service log': { text: service.run.output(), marker: /request requestId=marked/ },
    'the audit': {
      text: readFileSync(path.join(ground.root, 'audit.jsonl'), 'utf8'),
      marker: '"requestId":"marked"',
    },
    'the records of jobs': { text: found(/job\.json$/), marker: '"marked": "yes"' },
    'the logs of jobs': { text: found(/\/log$/), marker: `FAKE_LAB_STATE=${ground.env['FAKE_LAB_STATE']}` },
    'the journal of events': { text: found(/^events\//), marker: '"state":"failed"' },
    'the messages that wait': { text: found(/^webhooks\.jsonl$/), marker: 'job.failed' },
    'the whole data directory': { text: JSON.stringify(files), marker: 'marked' },
    'the metrics': { text: replies['/metrics'] ?? '', marker: 'lab_api_build_info' },
    'the status': { text: replies['/status'] ?? '', marker: 'demo' },
    'the description of the API': { text: replies['/openapi.json'] ?? '', marker: 'submitJob' },
    'every reply': { text: asker.heard.join('\n'), marker: '"x-request-id":"marked"' },
    'the processes': { text: Object.values(processes).join('\n'), marker: /fake-netlab[^]*LAB_JOB_ID=/ },
    'the service as others see it': {
      text: startOf(service.run.child.pid ?? 0),
      marker: /main\.js[^]*HOME=/,
    },
    'the environment of a status': {
      text: readFileSync(path.join(ground.env['FAKE_LAB_STATE'] ?? '', 'environment-of-status'), 'utf8'),
      marker: 'PYTHONUNBUFFERED',
    },
  };
}

const mayBeIn = (secret: string, place: string): boolean =>
  allowed[secret as keyof typeof secrets]?.includes(place) ?? false;

function expectNoSecretIn(places: Readonly<Record<string, Place>>): void {
  const seen = Object.entries(places).map(([name, { text, marker }]) => [
    name,
    {
      isSearched: typeof marker === 'string' ? text.includes(marker) : marker.test(text),
      has: secretsIn(text, secrets).filter((secret) => !mayBeIn(secret, name)),
    },
  ]);
  const nothing = Object.keys(places).map((name) => [name, { isSearched: true, has: [] }]);
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(nothing));
}

describe('no secret is found', () => {
  const ground = makeGround();
  const keyFile = path.join(ground.root, 'service.key.pem');
  const certFile = path.join(ground.root, 'service.cert.pem');
  let receiver: WebhookReceiver;
  let users: string;
  beforeAll(async () => {
    if (because !== '') return;
    const { key } = makePair(ground.root, 'service');
    secrets.tlsKey = key.split('\n')[1] ?? '';
    receiver = await WebhookReceiver.make();
    const hash = await hashPassword(secrets.userPassword);
    const sha256 = createHash('sha256').update(secrets.userToken).digest('hex');
    const ann = { name: 'ann', role: 'operator', password: hash, tokens: [{ id: 'tok_0000000a', sha256 }] };
    // JSON is YAML.
    users = usersFile(ground.root, JSON.stringify({ users: [ann] }));
    // Messages wait in their file.
    receiver.answer = () => 500;
  });

  const start = async (given: Readonly<Record<string, string>>) =>
    startProgram({
      ground,
      env: {
        LAB_API_USER: 'ops',
        LAB_API_USERS_FILE: users,
        LAB_API_WEBHOOK_URL: `${receiver.url}/hooks/${secrets.webhookUrl}`,
        LAB_API_TOKEN: secrets.clientToken,
        LAB_API_AUDIT_FILE: path.join(ground.root, 'audit.jsonl'),
        LAB_API_TLS_CERT: certFile,
        LAB_API_TLS_KEY: keyFile,
        LAB_API_LOG_LEVEL: 'debug',
        LAB_API_MCP: 'true',
        ...given,
      },
      client: { tls: { rejectUnauthorized: false } },
    });

  it(`of those that came in variables, not even after a crash${because}`, async () => {
    const given = { LAB_API_PASSWORD: secrets.password, LAB_API_WEBHOOK_SECRET: secrets.webhookSecret };
    const service = await start(given);
    const asker = new Asker(service);
    await provoke(asker, service);
    expectNoSecretIn(await placesOf(asker, service));
    await service.end('SIGKILL');

    const second = await start(given);
    expectNoSecretIn(await placesOf(new Asker(second), second));
    await second.end();
  });

  it(`of those that came in files${because}`, async () => {
    const file = (name: string, secret: string): string => {
      writeFileSync(path.join(ground.root, name), secret);
      return path.join(ground.root, name);
    };
    const service = await start({
      LAB_API_PASSWORD_FILE: file('password', secrets.password),
      LAB_API_WEBHOOK_SECRET_FILE: file('webhook-secret', secrets.webhookSecret),
    });
    const asker = new Asker(service);
    expectNoSecretIn(await placesOf(asker, service));
    await service.end();
  });
});
