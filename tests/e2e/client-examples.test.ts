/** The clients of examples/clients that need no other language: run as they stand, against a service. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { runCommand, startService, topologyThat, type RunningService } from '../support/service.ts';

const clients = path.resolve(__dirname, '../../examples/clients');
const missing = ['curl', 'jq'].find((program) => spawnSync(program, ['--version']).status !== 0);
const because = missing === undefined ? '' : ` (skipped: there is no ${missing})`;
const withTools = missing === undefined ? test : test.skip;

const secret = 'a "quoted" \\ word';

/** A service with a directory that holds what a checkout of a repository would. */
async function makeCheckout(topology: string, script: string, settings = {}): Promise<RunningService> {
  const authorization = `Basic ${Buffer.from(`ci:${secret}`).toString('base64')}`;
  const service = await startService({
    env: { LAB_API_USER: 'ci', LAB_API_PASSWORD: secret, ...settings },
    client: { headers: { Authorization: authorization } },
  });
  const { root } = service.ground;
  copyFileSync(path.join(clients, 'shell', 'with-lab.sh'), path.join(root, 'with-lab.sh'));
  writeFileSync(path.join(root, 'topology.yml'), topology);
  writeFileSync(path.join(root, 'test-the-lab.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return service;
}

function start({ url, ground }: RunningService, command: readonly string[], changes = {}) {
  const env = {
    PATH: process.env['PATH'],
    LAB_API_URL: url,
    LAB_API_USER: 'ci',
    LAB_API_PASSWORD: secret,
    WORKDIR: ground.workdir,
    ...changes,
  };
  return runCommand(command, env, ground.root);
}

const withLab = (service: RunningService, changes = {}) =>
  start(service, ['./with-lab.sh', 'topology.yml', service.ground.workdir, './test-the-lab.sh'], changes);

const commandsOf = ({ ground }: RunningService): string[] =>
  ground.runs().map((line) => line.split(' ')[0] ?? '');

describe('with-lab.sh', () => {
  withTools(`starts the lab, runs the command and stops the lab${because}`, async () => {
    const service = await makeCheckout(topologyThat('echo coming up'), 'echo testing; exit 5');
    const run = withLab(service);
    expect(await run.exit).toBe(5);
    expect(run.output()).toMatch(/coming up[^]*up: success[^]*testing[^]*down: success/);
    expect(commandsOf(service)).toEqual(expect.arrayContaining(['up', 'down']));
    expect((await service.get('/status')).json).toEqual({ warning: 'No netlab-managed labs' });
  });

  withTools(`does not run the command when the lab does not start${because}`, async () => {
    const service = await makeCheckout(topologyThat('exit 3'), 'echo testing');
    const run = withLab(service);
    expect(await run.exit).toBe(1);
    expect(run.output()).toMatch(/up: failed .*exit code 3/);
    expect(run.output()).not.toContain('testing');
  });

  withTools(`a runner that ends it in the middle leaves no lab and no job${because}`, async () => {
    const service = await makeCheckout(topologyThat('wait_for never'), 'true');
    const run = withLab(service);
    await service.ground.waitsFor('never');
    run.child.kill('SIGTERM');
    expect(await run.exit).toBe(143);
    const { jobs } = (await service.get('/jobs')).json;
    expect(jobs).toMatchObject([{ action: 'down' }, { action: 'up', state: 'canceled' }]);
  });
});

describe('with-lab.sh says what is wrong, once', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await makeCheckout(topologyThat('echo coming up'), 'echo testing');
    // The curl of this machine, which does not ask again for a minute.
    const bin = path.join(service.ground.root, 'bin');
    mkdirSync(bin);
    const curl = `#!/bin/sh\nPATH=\${PATH#*:}\nexec curl "$@" --retry 0\n`;
    writeFileSync(path.join(bin, 'curl'), curl, { mode: 0o755 });
  });

  test.each([
    { what: 'nothing at all', args: [], code: 2, says: /with-lab\.sh TOPOLOGY WORKDIR COMMAND/ },
    { what: 'nothing to stop', args: ['--stop-only'], code: 2, says: /--stop-only WORKDIR/ },
    {
      what: 'a topology that is not there',
      args: ['other.yml', '/lab', 'true'],
      code: 2,
      says: /^with-lab\.sh: no such file: other\.yml\n$/,
    },
  ])('given $what, it sends nothing', async ({ args, code, says }) => {
    const run = start(service, ['./with-lab.sh', ...args]);
    expect(await run.exit).toBe(code);
    expect(run.output()).toMatch(says);
    expect((await service.get('/jobs')).json.jobs).toEqual([]);
  });

  const url = 'http://127.0.0.1:1';
  const refused = /^up: refused: a valid login is required: a user name and password, or a token\n$/;
  withTools.each([
    { what: 'nobody listens', changes: { LAB_API_URL: url }, says: /^up: cannot reach http:.*:1: .*\n$/ },
    { what: 'the password is wrong', changes: { LAB_API_PASSWORD: 'wrong' }, says: refused },
    {
      what: 'the certificates to trust cannot be read',
      changes: { LAB_API_CACERT: 'none.pem', LAB_API_URL: 'https://127.0.0.1:1' },
      says: /^up: cannot reach https:.*\n$/,
    },
  ])(`when $what, and tries to stop nothing${because}`, async ({ changes, says }) => {
    const run = withLab(service, { PATH: `${service.ground.root}/bin:${process.env['PATH']}`, ...changes });
    expect(await run.exit).toBe(1);
    expect(run.output()).toMatch(says);
  });

  withTools(`when there is no such path${because}`, async () => {
    const run = withLab(service, { LAB_API_URL: `${service.url}/elsewhere` });
    expect(await run.exit).toBe(1);
    expect(run.output()).toMatch(/^up: refused: [^{}]*\n$/);
  });

  const whyNot = because || (opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`);
  const withOpenssl = whyNot === '' ? test : test.skip;
  withOpenssl(`the password and the certificates to trust may be in files${whyNot}`, async () => {
    const { root } = service.ground;
    makePair(root, 'lab-api');
    const [cert, key] = ['cert', 'key'].map((kind) => path.join(root, `lab-api.${kind}.pem`));
    const secure = await makeCheckout(topologyThat('echo coming up'), 'echo testing', {
      LAB_API_TLS_CERT: cert,
      LAB_API_TLS_KEY: key,
    });
    const untrusted = withLab(secure);
    expect(await untrusted.exit).toBe(1);
    expect(untrusted.output()).toMatch(/^up: cannot reach https:.*certificate.*\n$/);
    writeFileSync(path.join(root, 'password'), `${secret}\n`);
    const files = { LAB_API_PASSWORD_FILE: path.join(root, 'password'), LAB_API_CACERT: cert };
    const run = withLab(secure, { LAB_API_PASSWORD: '', ...files });
    expect(await run.exit).toBe(0);
    expect(run.output()).toMatch(/up: success[^]*testing[^]*down: success/);
  });
});

/** The commands of a pipeline, as its runner would run them. */
const pipelines = {
  'github-actions.yml': (text: string): string[] => {
    const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  },
  'gitlab-ci.yml': (text: string): string[] => {
    const jobs = parse(text) as Record<string, { script: string[]; after_script: string[] }>;
    return Object.values(jobs).flatMap((job) => [...job.script, ...job.after_script]);
  },
};

describe.each(Object.entries(pipelines))('%s', (name, commandsIn) => {
  withTools(`runs the test in a lab, and stops a lab that was left${because}`, async () => {
    const [main = '', cleanUp = ''] = commandsIn(readFileSync(path.join(clients, 'ci', name), 'utf8'));
    const service = await makeCheckout(topologyThat('echo coming up'), 'echo testing');
    const run = start(service, ['sh', '-c', main]);
    expect(await run.exit).toBe(0);
    expect(run.output()).toMatch(/coming up[^]*testing[^]*down: success/);
    const left = await service.start({
      action: 'up',
      workdir: service.ground.workdir,
      topology: topologyThat('echo left'),
    });
    await service.ended(left);
    const after = start(service, ['sh', '-c', cleanUp]);
    expect(await after.exit).toBe(0);
    expect((await service.get('/status')).json).toEqual({ warning: 'No netlab-managed labs' });
  });
});
