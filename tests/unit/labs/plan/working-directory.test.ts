/** Where a job is to run; plan-command.test.ts has the plans that are made of it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import {
  directoryOfRequest,
  findPlace,
  type PlaceContext,
  type PlaceRequest,
} from '../../../../src/labs/plan/working-directory.ts';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let server: string;
let lab: string;
let workspaces: WorkspacePlaces;

beforeEach(() => {
  server = mkdtempSync(path.join(root, 'server-'));
  lab = path.join(server, 'lab');
  workspaces = new WorkspacePlaces(path.join(server, 'workspaces'));
  for (const directory of [lab, workspaces.pathOf('course')]) mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(server, 'file'), '');
});

const named = (request: Partial<PlaceRequest>): PlaceRequest => ({ action: 'down', options: {}, ...request });

/** Where the instance `one` is in `lab`, unless `context` says otherwise. */
async function place(request: Partial<PlaceRequest>, context: Partial<PlaceContext> = {}) {
  return findPlace(named(request), {
    roots: new AllowedRoots([]),
    directoryOf: (instance) => Promise.resolve(instance === 'one' ? lab : undefined),
    instanceIn: (directory) => Promise.resolve(directory === lab ? 'one' : undefined),
    stopsWithoutDirectory: true,
    mayNameUnknown: true,
    serverDirectory: server,
    workspaces,
    ...context,
  });
}

const refusal = async (...given: Parameters<typeof place>) => {
  const { code, message, errors } = await failureOf(place(...given));
  return { code, message, fields: errors?.map(({ field }) => field) };
};

test('a directory that contains the data directory is none for a job, but a lab that is there can be taken down', async () => {
  const roots = new AllowedRoots([], { dataDir: path.join(lab, 'data'), serverDirectory: server });
  mkdirSync(path.join(lab, 'data/jobs'), { recursive: true });
  for (const workdir of ['lab', '..', 'lab/data', 'lab/data/jobs', '/'])
    expect(await refusal({ workdir }, { roots })).toMatchObject({
      code: 'forbidden-path',
      fields: ['workdir'],
    });
  expect(await refusal({ workspaceRoot: 'lab' }, { roots })).toMatchObject({ fields: ['workspaceRoot'] });
  expect((await place({ options: { instance: 'one' } }, { roots })).workdir).toBe(lab);
  expect((await place({}, { roots })).workdir).toBe(server);
});

describe('what a request says', () => {
  test.each<[Partial<PlaceRequest>, () => string]>([
    [{}, () => server],
    [{ workdir: 'lab' }, () => lab],
    [{ workdir: 'link' }, () => lab],
    [{ workdir: 'gone/../new' }, () => path.join(server, 'new')],
    [{ workspaceRoot: './lab/' }, () => lab],
    [{ workspace: 'course' }, () => workspaces.pathOf('course')],
    [{ workspace: 'course', workdir: './a/../b' }, () => workspaces.pathOf('course/b')],
    [{ workspace: 'course', workdir: 'a\0b' }, () => workspaces.pathOf('course')],
    [{ workdir: 'a\0b' }, () => server],
  ])('%j is about the directory that it leads to, whether it is there or not', async (request, expected) => {
    symlinkSync(lab, path.join(server, 'link'));
    expect(await directoryOfRequest(named(request), { serverDirectory: server, workspaces })).toBe(
      expected(),
    );
  });

  test.each<[Partial<PlaceRequest>, string]>([
    [{ workdir: 'nope', workspaceRoot: 'lab' }, 'workdir'],
    [{ workspaceRoot: 'nope' }, 'workspaceRoot'],
    [{ workspaceRoot: 'file' }, 'workspaceRoot'],
  ])('%j is refused by the name of its field', async (request, field) => {
    expect(await refusal(request)).toMatchObject({ code: 'workdir-not-found', fields: [field] });
  });

  test('a NUL byte in it is refused, and no directory is looked for', async () => {
    for (const field of ['workdir', 'workspaceRoot'])
      expect(await refusal({ [field]: 'lab\0' })).toMatchObject({ code: 'invalid-request', fields: [field] });
  });

  test('what is no directory is told from what is not there', async () => {
    expect((await refusal({ workdir: 'file' })).message).toContain('is not a directory');
    expect((await refusal({ workdir: 'nope' })).message).toContain('create it first');
    symlinkSync('nope', path.join(server, 'dangling'));
    expect((await refusal({ workdir: 'dangling' })).message).toContain('create it first');
  });
});

describe('a workspace', () => {
  test('has directories, to which a relative path leads', async () => {
    const workdir = workspaces.pathOf('course');
    const inner = path.join(workdir, 'labs/one');
    mkdirSync(inner, { recursive: true });
    const inside = async (given: Partial<PlaceRequest>) => place({ workspace: 'course', ...given });
    for (const same of [{}, { workdir: '' }, { workdir: '.' }, { workdir }, { workspaceRoot: 'labs/..' }])
      expect(await inside(same)).toEqual({ workdir, warnings: [] });
    for (const same of [{ workdir: 'labs/one' }, { workdir: inner }, { workspaceRoot: './labs/one/' }])
      expect(await inside(same)).toEqual({ workdir: inner, warnings: [] });
    expect(await refusal({ workspace: 'course', workdir: 'labs/two' })).toMatchObject({
      code: 'workdir-not-found',
      fields: ['workdir'],
    });
    expect(await place({ workdir: 'lab', workspaceRoot: 'x' })).toEqual({ workdir: lab, warnings: [] });
  });

  test('contradicts a directory that is not in it, and the refusal names both fields', async () => {
    symlinkSync(lab, path.join(workspaces.pathOf('course'), 'link'));
    const elsewhere = [
      '..',
      '../other',
      'link',
      lab,
      path.join(lab, 'gone'),
      '~',
      `${workspaces.pathOf('course')}-2`,
    ];
    for (const field of ['workdir', 'workspaceRoot'])
      for (const value of elsewhere)
        expect(await refusal({ workspace: 'course', [field]: value })).toMatchObject({
          code: 'invalid-request',
          fields: [field],
          message: expect.stringMatching(
            / contradicts "workspace": .* is not in the workspace "course"; leave one /,
          ),
        });
    expect((await refusal({ workspace: 'course', workdir: 'a\0' })).message).toContain('NUL');
  });

  test('that is still to be made is the directory itself alone', async () => {
    const up = { workspace: 'new', action: 'up', topology: 'nodes: [ a ]' } as const;
    expect(await place({ ...up, workdir: '.' })).toEqual({ workdir: workspaces.pathOf('new'), warnings: [] });
    expect(await refusal({ ...up, workdir: 'labs' })).toMatchObject({ code: 'workdir-not-found' });
  });

  test('that is not there is made for a topology, and for nothing else', async () => {
    const workdir = workspaces.pathOf('new');
    expect(await place({ workspace: 'new', action: 'up', topology: 'nodes: [ a ]' })).toEqual({
      workdir,
      warnings: [],
    });
    for (const action of ['up', 'down'] as const)
      expect(await refusal({ workspace: 'new', action })).toMatchObject({
        code: 'workspace-not-found',
        fields: ['workspace'],
      });
  });

  test('that is a file, or a link, is none', async () => {
    writeFileSync(workspaces.pathOf('file'), '');
    symlinkSync(lab, workspaces.pathOf('link'));
    for (const workspace of ['file', 'link'])
      for (const action of ['up', 'down'] as const)
        expect((await refusal({ workspace, action })).code).toBe('workspace-not-found');
  });

  test('that whoever asks may not use is none', async () => {
    const mine = workspaces.pathOf('mine');
    mkdirSync(mine);
    const roots = new AllowedRoots([], { workspaces }, (directory) => directory === mine);
    expect((await place({ workspace: 'mine' }, { roots })).workdir).toBe(mine);
    for (const action of ['up', 'down'] as const)
      expect((await refusal({ workspace: 'course', action }, { roots })).code).toBe('workspace-not-found');
  });

  test.each(['../lab', 'auto', 'A'])('is not called %s', async (workspace) => {
    expect(await refusal({ workspace, action: 'up' })).toMatchObject({
      code: 'invalid-request',
      fields: ['workspace'],
    });
  });
});

describe('an instance', () => {
  const one = { options: { instance: 'one' } };
  const unknown = { options: { instance: 'two' } };

  test('is where the lab CLI says; another place that is named is ignored, and the same one is not', async () => {
    expect(await place(one)).toEqual({ workdir: lab, warnings: [] });
    expect(await place({ ...one, workdir: './lab' })).toEqual({ workdir: lab, warnings: [] });
    const { workdir, warnings } = await place({ ...one, workdir: 'workspaces' });
    expect([workdir, warnings]).toEqual([lab, [expect.stringMatching(/^workdir is ignored: .*"one"/)]]);
    const other = await place({ ...one, workspace: 'course' });
    expect(other.warnings).toEqual([expect.stringMatching(/^workspace is ignored: /)]);
    expect((await place({ ...one, workspace: 'course', workdir: lab })).warnings).toEqual([]);
  });

  test('that nobody knows is refused, with the lab that is meant without it', async () => {
    const { code, fields, message } = await refusal({ ...unknown, workdir: 'lab' });
    expect([code, fields]).toEqual(['instance-not-found', ['instance']]);
    expect(message).toMatch(/no lab instance "two".*; without "instance", the lab in lab is meant$/);
    expect((await refusal(unknown)).message).toMatch(/list those there are$/);
  });

  test.each<[string, () => string, string]>([
    ['is not there', () => path.join(server, 'gone'), 'workdir-not-found'],
    ['is outside of what is allowed', () => '/etc', 'forbidden-path'],
  ])('whose directory %s is refused by its name', async (_what, directory, code) => {
    const context = { directoryOf: () => Promise.resolve(directory()), roots: new AllowedRoots([server]) };
    expect(await refusal({ ...one, action: 'collect' }, context)).toMatchObject({
      code,
      fields: ['instance'],
    });
  });
});

describe('when nobody can tell where an instance is', () => {
  const one = { options: { instance: 'one' } };
  const failing = (code: 'lab-cli-failed' | 'lab-cli-timeout' | 'workspace-busy') => ({
    directoryOf: () => Promise.reject(new AppError(code, 'broken')),
  });

  test.each(['lab-cli-failed', 'lab-cli-timeout'] as const)(
    '(%s), a job runs in the directory that its request names, and says so',
    async (code) => {
      expect(await place({ ...one, workdir: 'lab' }, failing(code))).toEqual({
        workdir: lab,
        warnings: [expect.stringMatching(`cannot tell where instance "one" lives: running in ${lab}$`)],
      });
    },
  );

  test.each<[string, Partial<PlaceRequest>, Partial<PlaceContext>, string]>([
    ['without a directory', {}, failing('lab-cli-failed'), 'lab-cli-failed'],
    [
      'by an action that would take any lab there',
      { workdir: 'lab', action: 'collect' },
      failing('lab-cli-failed'),
      'lab-cli-failed',
    ],
    [
      'of somebody who may not name it',
      { workdir: 'lab' },
      { ...failing('lab-cli-failed'), mayNameUnknown: false },
      'lab-cli-failed',
    ],
    ['for a reason that is not the lab CLI', { workdir: 'lab' }, failing('workspace-busy'), 'workspace-busy'],
  ])('a request %s is refused', async (_what, request, context, code) => {
    expect((await refusal({ ...one, ...request }, context)).code).toBe(code);
  });
});

describe('the lab of a directory that is gone', () => {
  const gone = () => path.join(server, 'gone');
  const living = (): Partial<PlaceContext> => ({
    directoryOf: async (instance) => Promise.resolve(instance === 'two' ? gone() : undefined),
    instanceIn: async (directory) => Promise.resolve(directory === gone() ? 'two' : undefined),
  });

  test.each([
    ['its instance', () => ({ options: { instance: 'two' } })],
    ['its directory', () => ({ workdir: gone() })],
  ])('can be stopped by %s', async (_how, request) => {
    expect(await place(request(), living())).toEqual({
      workdir: gone(),
      goneLab: 'two',
      warnings: [`the directory ${gone()} of the lab "two" is gone: the lab is stopped without its files`],
    });
  });

  test('cannot be stopped by a lab CLI that reads it from there', async () => {
    const context = { ...living(), stopsWithoutDirectory: false };
    expect(await refusal({ workdir: gone() }, context)).toEqual({
      code: 'workdir-not-found',
      message: `workdir: the directory ${gone()} of the lab "two" is gone, and the lab CLI stops a lab from there: restore it`,
      fields: ['workdir'],
    });
  });

  test('is hidden from users who may not use the directory', async () => {
    const roots = new AllowedRoots([lab]);
    expect(await refusal({ workdir: gone() }, { ...living(), roots })).toMatchObject({
      code: 'forbidden-path',
    });
  });

  test.each<Partial<PlaceRequest>>([{ action: 'collect' }, { action: 'up' }])(
    'has no place for %j',
    async (request) => {
      const refused = await refusal({ ...request, workdir: gone() }, living());
      expect(refused).toMatchObject({ code: 'workdir-not-found', fields: ['workdir'] });
    },
  );
});
