import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../src/labs/system/allowed-roots.ts';
import { findLabCli } from '../../src/labs/drivers/drivers.ts';
import { errorSentence } from '../../src/labs/drivers/netlab-language/error-sentence.ts';
import { netlab } from '../../src/labs/drivers/netlab/netlab.ts';
import { checkDown } from '../../src/labs/drivers/netlab-language/netlab-language.ts';
import { labCliEnvironment, labCliVersion } from '../../src/labs/program/lab-cli.ts';
import { WorkspacePlaces } from '../../src/labs/workspaces/workspace-places.ts';
import { planCommand } from '../../src/labs/plan/plan-command.ts';
import type { LabRequest } from '../../src/labs/plan/plan-command.ts';
import { runCaptured } from '../../src/labs/system/run.ts';
import { LabStatus } from '../../src/labs/status/lab-status.ts';
import { failureOf } from '../support/failure-of.ts';
import { requirement } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { missing, file } = requirement('netlab');
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

const root = temporaryDirectory();
const home = path.join(root, 'home');
const stateFile = path.join(home, '.netlab/status.yaml');
mkdirSync(home);
const cli = findLabCli(file, {}) ?? { name: 'netlab', file, binDirs: [], driver: netlab };
// A home of its own: nothing of the machine's labs is seen or touched.
const env = {
  ...labCliEnvironment(cli, { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' }),
  HOME: home,
};
const kept = { fresh: false };

const external = [
  'provider: external',
  'defaults.device: frr',
  'nodes:',
  '  a: { mgmt.ipv4: 192.0.2.1 }',
  '  b: { mgmt.ipv4: 192.0.2.2 }',
  'links: [{ a: { ifname: e1 }, b: { ifname: e2 } }]',
].join('\n');

function netlabStatus(): LabStatus {
  const runCli = (args: readonly string[]) =>
    runCaptured(cli.file, args, { env, cwd: root, timeoutMs: 60_000 });
  return new LabStatus({
    driver: () => netlab,
    runCli,
    maxAgeMs: 0,
    stateFile: () => stateFile,
    epoch: () => 0,
  });
}

/** Plans a job as the service does, runs it, and gives what a job record would tell. */
async function job(directory: string, request: Omit<LabRequest, 'workdir'>) {
  const workdir = path.join(root, directory);
  mkdirSync(workdir, { recursive: true });
  const savedTopologyPath = path.join(root, `${directory}.yml`);
  const plan = await planCommand(
    { ...request, workdir },
    {
      cli,
      roots: new AllowedRoots([root]),
      topologyHosts: [],
      mayNameUnknown: true,
      directoryOf: (instance) => netlabStatus().directoryOf(instance),
      instanceIn: (place) => netlabStatus().instanceIn(place),
      entryOf: async () => undefined,
      env: {},
      runIn: async (cwd, args) => runCaptured(cli.file, args, { env, cwd, timeoutMs: 60_000 }),
      serverDirectory: root,
      workspaces: new WorkspacePlaces(path.join(root, 'workspaces')),
    },
  );
  if (plan.topologyText !== undefined) writeFileSync(savedTopologyPath, plan.topologyText);
  const [program = '', ...args] = plan.command(savedTopologyPath);
  const { exitCode, signal, stdout, stderr } = await runCaptured(program, args, {
    env,
    cwd: workdir,
    timeoutMs: 60_000,
  });
  const logTail = Buffer.concat([stdout, stderr]).toString();
  const sentence = errorSentence({
    action: request.action,
    workdir: plan.workdir,
    cliName: cli.name,
    exitCode,
    signal,
    logTail,
  });
  return { exitCode, logTail, sentence, workdir, instance: plan.instance };
}

it(`netlab says its version${because}`, async () => {
  expect(await labCliVersion(cli, env)).toMatch(/^\d+\.\d+/);
});

describe('status with no labs', () => {
  it(`is a document in both formats${because}`, async () => {
    const status = netlabStatus();
    const json = await status.all('json', kept);
    expect(JSON.parse(json.body.toString())).toEqual({ warning: 'No netlab-managed labs' });
    expect((await status.all('text', kept)).body.toString()).toBe('No netlab-managed labs\n');
    expect(await failureOf(status.instance('nope', 'json', kept))).toMatchObject({
      code: 'instance-not-found',
    });
  });
});

/** Every status that the source of netlab gives to a lab, with a digit for each part that is filled in. */
function statusesInSource(): readonly string[] {
  // The program is in the environment that netlab is installed in.
  const lib = path.join(path.dirname(realpathSync(file)), '../lib');
  const python = readdirSync(lib).find((name) => name.startsWith('python3')) ?? '';
  const cliDirectory = path.join(lib, python, 'site-packages/netsim/cli');
  const names = readdirSync(cliDirectory, { recursive: true, encoding: 'utf8' });
  const sources = names
    .filter((name) => name.endsWith('.py'))
    .map((name) => readFileSync(path.join(cliDirectory, name), 'utf8'));
  const given = /(?:lab_status_change\(topology,\s*|'status':\s*|in status else )f?(["'])(.*?)\1(?=[,)}\s])/g;
  return sources
    .flatMap((source) =>
      [...source.matchAll(given)].map(([, , text = '']) => text.replaceAll(/\{.*?\}/g, '1')),
    )
    .filter((text) => text !== 'Unknown');
}

it(`every status that netlab gives a lab has a meaning${because}`, () => {
  const statuses = statusesInSource();
  expect(statuses).toContain('configuration deployment complete');
  expect(statuses).toContain('restarting lab');
  const log = ['2026-01-15T09:30:00.500000+00:00: started'];
  expect(statuses.filter((status) => netlab.status.stateOf({ status, log }) === 'other')).toEqual([]);
});

describe('create', () => {
  it(`makes the files of a good topology${because}`, async () => {
    const topology = {
      provider: 'clab',
      defaults: { device: 'frr' },
      nodes: { a: {}, b: {} },
      links: ['a-b'],
    };
    const { exitCode, logTail } = await job('good', { action: 'create', topology, options: {} });
    expect(logTail).toContain('Created provider configuration file: clab.yml');
    expect(exitCode).toBe(0);
  });

  it.each([
    {
      name: 'an unknown node',
      topology: 'provider: clab\nnodes: [a]\nlinks: [a-c]',
      expected: /^Link string a-c .*unknown node c/,
    },
    {
      name: 'no device',
      topology: 'provider: clab\nnodes: [a]\nlinks: []',
      expected: /No device type specified for node a/,
    },
  ])(`says what is wrong with a topology: $name${because}`, async ({ topology, expected }) => {
    const { exitCode, sentence } = await job('bad', { action: 'create', topology, options: {} });
    expect(exitCode).toBe(1);
    expect(sentence).toMatch(expected);
    expect(sentence).not.toContain('Cannot proceed beyond this point');
  });
});

describe('a lab of provider external', () => {
  it(`asks, is half started, and is gone after down${because}`, async () => {
    const status = netlabStatus();
    const up = await job('external', { action: 'up', topology: external, options: {} });
    expect(up.exitCode).toBe(1);
    expect(up.sentence).toContain(
      'asked "Do you want to continue [y/n]:", which a job cannot answer; set "quiet": true',
    );

    const [id] = [...(await status.entries(true)).keys()];
    expect(id).toBe('external_external');
    const json = await status.instance('external_external', 'json', kept);
    expect(JSON.parse(json.body.toString())).toMatchObject({ dir: up.workdir, providers: ['external'] });
    const text = await status.instance('external_external', 'text', kept);
    expect(text.body.toString()).toContain(`Lab external_external in ${up.workdir}`);
    const isGone = async (dirs: readonly string[]) => {
      const claim = {
        workdir: up.workdir,
        instanceDirs: () => Promise.resolve(dirs),
        dryRun: false,
        logEnd: '',
      };
      return checkDown(claim, () => Promise.resolve(undefined));
    };
    expect(await isGone([up.workdir])).toContain('netlab.lock');

    const down = await job('external', {
      action: 'down',
      options: { cleanup: true, instance: 'external_external' },
    });
    expect(down.exitCode).toBe(0);
    const left = await status.entries(true);
    expect([...left.keys()]).toEqual([]);
    expect(await isGone([])).toBeUndefined();
  });

  it(`keeps the number that "up" was given over a restart, and from its files${because}`, async () => {
    const status = netlabStatus();
    const ids = async () => [...(await status.entries(true)).keys()];
    const options = { noConfig: true, quiet: true } as const;
    const start = { action: 'up', topology: external, options: { ...options, multilabId: 12 } } as const;
    expect(await job('numbered', start)).toMatchObject({ exitCode: 0 });
    const restart = { action: 'restart', options: { ...options, instance: '12' } } as const;
    expect(await job('numbered', restart)).toMatchObject({ exitCode: 0 });
    expect(await ids()).toEqual(['12']);
    expect(await job('numbered', { action: 'down', options: {} })).toMatchObject({ exitCode: 0 });
    const again = { action: 'up', options: { ...options, snapshot: true } } as const;
    expect(await job('numbered', again)).toMatchObject({ exitCode: 0, instance: '12' });
    expect(await ids()).toEqual(['12']);
    await job('numbered', { action: 'down', options: { cleanup: true } });
  });
});
