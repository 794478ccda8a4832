/** Where in a cluster a job is asked for, by what its request says. */
import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import os from 'node:os';
import path from 'node:path';
import type { ClusterService, WantedJob } from '../../../../src/cluster/model/cluster-service.ts';
import { placeJob } from '../../../../src/http/cluster/place-job.ts';
import type { HttpContext } from '../../../../src/http/context.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { clusterOf, olga } from '../../../support/plain-cluster.ts';

type Accepted = Awaited<ReturnType<ClusterService['submit']>>;
type Submission = Parameters<typeof placeJob>[0];

const accepted = { job: { id: 'job-1-aaaaaa' }, isReplayed: false } as Accepted;
const claim = { key: 'k1', fingerprint: 'f1' } as Submission['claim'];

/** What becomes of a request. The job is taken by this host, where that is said, and by another one otherwise. */
async function outcome(body: unknown, { isAlone = false, isPassedOn = false, isHere = false } = {}) {
  const done: unknown[] = [];
  let wanted: WantedJob | undefined;
  const cluster = clusterOf([], {
    submit: async (job, here) => {
      wanted = job;
      return isHere ? here() : accepted;
    },
    indexed: async (id) => void done.push(['indexed', id]),
  });
  const req = { principal: olga, ...(isPassedOn && { isPassedOn }) } as Request;
  const context = { cluster: isAlone ? undefined : cluster } as HttpContext;
  const here = async (taken: unknown): Promise<Accepted> => {
    done.push(taken);
    return Promise.resolve(accepted);
  };
  expect(await placeJob({ body, claim, req, context, here })).toBe(accepted);
  return { wanted, done };
}

async function wantedBy(body: object): Promise<WantedJob> {
  const { wanted, done } = await outcome(body);
  expect(done).toEqual([]);
  if (!wanted) throw new Error('the cluster was not asked');
  return wanted;
}

describe('a service that works alone', () => {
  test.each([
    ['a request', { action: 'status' }],
    ['one with hosts that say nothing', { action: 'status', host: '', hostLabels: [] }],
    ['what is no request', null],
    ['no body', undefined],
    ['labels that are none', { hostLabels: 'fast' }],
  ])('takes %s itself', async (_what, body) => {
    expect(await outcome(body, { isAlone: true })).toEqual({ wanted: undefined, done: [body] });
  });

  test.each([
    ['a host', { action: 'status', host: 'two' }, 'host'],
    ['labels of hosts', { action: 'status', hostLabels: ['fast'] }, 'hostLabels'],
    ['both', { action: 'status', host: 'two', hostLabels: ['fast'] }, 'host'],
  ])('refuses %s', async (_what, body, field) => {
    const error = await failureOf(outcome(body, { isAlone: true }));
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field }] });
    expect(error.message).toContain('alone');
  });
});

describe('this host takes as it came', () => {
  test('what another host has passed on to it', async () => {
    const body = { action: 'up', instance: 'default@two' };
    expect(await outcome(body, { isPassedOn: true })).toEqual({ wanted: undefined, done: [body] });
  });

  test.each([
    ['what is no request', 'up'],
    ['an unknown action', { action: 'fly' }],
    ['what is no name of a workspace', { action: 'up', workspace: '../other' }],
  ])('%s, and says what is wrong with it', async (_what, body) => {
    expect(await outcome(body)).toEqual({ wanted: undefined, done: [body] });
  });
});

describe('in a cluster', () => {
  test('a job is asked for with all that is said of it, and who asks', async () => {
    const body = { action: 'status', workdir: '/labs/a', host: 'two', hostLabels: ['fast'], cli: 'netlab' };
    expect(await wantedBy(body)).toEqual({
      body,
      host: 'two',
      hostLabels: ['fast'],
      cli: 'netlab',
      startsLab: false,
      workspace: undefined,
      directory: '/labs/a',
      instance: undefined,
      claim,
      asker: { name: 'olga', role: 'operator', workdirs: null },
    });
  });

  test('this host tells the others of a job that it takes before it answers', async () => {
    const body = { action: 'up', workdir: '/labs/a' };
    const { done } = await outcome(body, { isHere: true });
    expect(done).toEqual([body, ['indexed', 'job-1-aaaaaa']]);
    expect(done[0]).toBe(body);
  });

  test.each([
    ['of a workspace, with that', { workspace: 'blue' }, { workspace: 'blue', directory: undefined }],
    ['of a new workspace, anywhere', { workspace: 'auto' }, { workspace: undefined, directory: undefined }],
    ['of a directory, with that', { workdir: '/labs/./b/' }, { directory: '/labs/b' }],
    ['in the words of netlab', { workspaceRoot: '/labs/c' }, { directory: '/labs/c' }],
    ['of two directories, with workdir', { workdir: '/a', workspaceRoot: '/b' }, { directory: '/a' }],
    ['below the home directory', { workdir: '~/d' }, { directory: path.join(os.homedir(), 'd') }],
    ['below that of the service', { workdir: 'e' }, { directory: path.resolve('e') }],
    ['of no directory, in that of the service', {}, { directory: process.cwd() }],
  ])('a job %s', async (_what, place, wanted) => {
    const nowhere = { workspace: undefined, instance: undefined };
    expect(await wantedBy({ action: 'up', ...place })).toMatchObject({ ...nowhere, ...wanted });
  });
});

describe('a lab that is named', () => {
  test('says where its job belongs, when nothing else does', async () => {
    const body = { action: 'down', instance: 'default' };
    expect(await wantedBy(body)).toMatchObject({
      body,
      host: undefined,
      instance: 'default',
      directory: undefined,
      workspace: undefined,
    });
  });

  test('is looked for in the directory that is named', async () => {
    const wanted = await wantedBy({ action: 'down', instance: 'default', workdir: '/labs/a' });
    expect(wanted).toMatchObject({ instance: 'default', directory: '/labs/a' });
  });

  test('may name its host, which knows it without that', async () => {
    const body = { action: 'down', instance: 'default@two' };
    expect(await wantedBy(body)).toMatchObject({
      body: { action: 'down', instance: 'default' },
      host: 'two',
      instance: 'default',
    });
    const { done } = await outcome({ action: 'down', instance: 'a@b@one' }, { isHere: true });
    expect(done[0]).toEqual({ action: 'down', instance: 'a@b' });
    expect(body.instance).toBe('default@two');
  });

  test('may be named with the host that it is on, and with no other', async () => {
    const request = { action: 'down', instance: 'default@two' };
    expect(await wantedBy({ ...request, host: 'two' })).toMatchObject({ host: 'two' });
    expect(await wantedBy({ action: 'down', instance: 'default', host: 'two' })).toMatchObject({
      host: 'two',
    });
    const error = await failureOf(outcome({ ...request, host: 'three' }));
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'host' }] });
    expect(error.message).toBe('host: the lab "default@two" is on the host two');
  });
});
