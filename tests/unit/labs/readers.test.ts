/** docs/security.md has a table of the files that others can write. Each reader is given 60 MB. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLines } from '../../../src/jobs/log/log-file.ts';
import { containerlab } from '../../../src/labs/drivers/containerlab/containerlab.ts';
import { remainsOfLab as remainsOfEngine } from '../../../src/labs/drivers/engine/claims.ts';
import { engine } from '../../../src/labs/drivers/engine/engine.ts';
import type { LabDriver } from '../../../src/labs/drivers/lab-driver.ts';
import { remainsOfLab } from '../../../src/labs/drivers/netlab/lab-remains.ts';
import { netlab } from '../../../src/labs/drivers/netlab/netlab.ts';
import { IdClaimFiles } from '../../../src/labs/ids/id-claims.ts';
import { LayoutBeside } from '../../../src/labs/picture/layout-beside.ts';
import { planInstance } from '../../../src/labs/plan/plan-instance.ts';
import { AllowedRoots } from '../../../src/labs/system/allowed-roots.ts';
import { Templates } from '../../../src/labs/templates/templates.ts';
import { TemplateThread } from '../../../src/labs/templates/template-thread.ts';
import { container } from '../../support/containerlab-recorded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { repoRoot } from '../../support/repo-files.ts';
import { printed as ran } from '../../support/run-result.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const page = readFileSync(path.join(repoRoot, 'docs/security.md'), 'utf8');
const [, table = ''] = /\n## Files that others can write\n(.*?)\n## /s.exec(page) ?? [];
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| *(?:file|-+) *\|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, file = '', writer = '', limit = '', parsed = '']) => ({ file, writer, limit, parsed }));

const root = temporaryDirectory();
const end = new AbortController();
afterAll(() => end.abort());

const length = 60_000_000;
const texts = {
  zeros: path.join(root, 'zeros'),
  brackets: path.join(root, 'brackets'),
  nodes: path.join(root, 'nodes'),
};
writeFileSync(texts.zeros, `{"nodes":[${'0,'.repeat(length / 2)}0],"links":[]}`);
writeFileSync(texts.brackets, '['.repeat(length));
writeFileSync(texts.nodes, `{"nodes":{${'"a":{},'.repeat(length / 7)}"b":0},"links":[]}`);

interface Ground {
  readonly directory: string;
  /** Puts 60 MB at a place in the directory. */
  readonly put: (name: string) => string;
  readonly bytes: () => Buffer;
}

const nothing = async () => Promise.reject(new Error('nothing is run'));
const isRefused = async (reading: Promise<unknown>): Promise<void> =>
  expect(await failureOf(reading)).toMatchObject({ code: 'lab-cli-failed' });

async function isUnknown({ files }: Pick<LabDriver, 'files'>, env: Record<string, string>): Promise<void> {
  await files.seeRecordedLabs?.(env);
  expect(() => files.recordedLabs?.(env)).toThrow('longer than 4194304 bytes');
}

async function hasNoName(driver: LabDriver, file: string): Promise<string | null> {
  const topology = { file, text: undefined, isNamed: true };
  return planInstance(
    { options: {}, topology, directory: undefined },
    { driver, instanceIn: () => Promise.resolve(undefined) },
  );
}

/** By the file in the table: reads it, and sees that it is refused or says nothing. */
const readers: Readonly<Record<string, (ground: Ground) => Promise<void>>> = {
  '`lab.snapshot.json`': async ({ directory, put }) => {
    put('lab.snapshot.json');
    await isRefused(engine.topology.read(directory, nothing, 'demo'));
  },
  '`clab-NAME/topology-data.json`': async ({ directory, put }) => {
    put('clab-demo/topology-data.json');
    await isRefused(containerlab.topology.read(directory, nothing, 'demo'));
  },
  '`NAME.clab.yml.annotations.json`': async ({ directory, put }) => {
    writeFileSync(path.join(directory, 'demo.clab.yml'), 'name: demo\n');
    const file = put('demo.clab.yml.annotations.json');
    const entry = { containers: [container('r1', directory, 'demo')] };
    const status = { labIn: () => Promise.resolve({ instance: 'demo', entry }) };
    const roots = new AllowedRoots([]);
    const beside = new LayoutBeside({ driver: () => containerlab, status, roots, runAs: undefined });
    expect(await beside.read(directory)).toBeUndefined();
    expect(await beside.write(directory, { r1: { x: 1, y: 1 } }, () => true)).toBeUndefined();
    expect(statSync(file).size).toBeGreaterThanOrEqual(length);
  },
  '`NAME.clab.yml`, for the name of its lab': async ({ directory, put }) => {
    const file = put('demo.clab.yml');
    expect(await containerlab.topologies.labOf?.(directory)).toBeUndefined();
    expect(await hasNoName(containerlab, file)).toBeNull();
  },
  '`topology.yml`, for the id of its lab': async ({ put }) =>
    expect(await hasNoName(netlab, put('topology.yml'))).toBe('default'),
  '`netlab.snapshot.pickle`, by the topology before `restart`': async ({ directory, put }) => {
    put('topology.yml');
    const run = () => Promise.resolve(ran('["topology.yml"]'));
    const asked = {
      action: 'restart',
      workdir: directory,
      instance: '7',
      env: {},
      options: {},
      others: [],
      run,
    };
    expect(await failureOf(netlab.checkLab?.(asked as never) ?? nothing())).toMatchObject({
      code: 'topology-not-found',
    });
  },
  '`clab.yml`, for the bridges of a netlab lab': async ({ directory, put }) => {
    put('clab.yml');
    expect(await remainsOfLab({ workdir: directory, look: () => Promise.resolve(ran('')) })).toBeUndefined();
  },
  'topologies that `GET /templates` lists': async ({ directory, put }) => {
    put('topology.yml');
    const templates = new Templates(new TemplateThread(end.signal));
    const how = {
      files: netlab.topologies,
      without: undefined,
      hasProgram: () => true,
      isPrivate: () => false,
    };
    expect(JSON.stringify(await templates.list(directory, false, how))).toContain('larger than 1 MiB');
  },
  '`status.json` in `LAB_HOME`': async ({ directory, put }) => {
    put('status.json');
    await isUnknown(engine, { LAB_HOME: directory });
    const ask = ['status', '--all', '--format', 'json'];
    expect(
      await engine.status.answer?.(ask, { env: { LAB_HOME: directory }, isOtherUser: true }),
    ).toBeUndefined();
  },
  '`labs/ID.json` and `holder.json` in `LAB_HOME`': async ({ directory, put }) => {
    const words = { dir: directory, log_line: '', name: '', timestamp: '', topology: '' };
    const entry = { ...words, log: [], providers: [], status: 'started' };
    writeFileSync(path.join(directory, 'status.json'), JSON.stringify({ 7: entry }));
    put('labs/7.json');
    const ask = ['status', '--instance', '7', '--format', 'json'];
    const answer = async () =>
      engine.status.answer?.(ask, { env: { LAB_HOME: directory }, isOtherUser: true });
    expect(JSON.parse(String((await answer())?.stdout))).toMatchObject({ status: 'missing', nodes: {} });
    put('holder.json');
    expect(await answer()).toBeUndefined();
  },
  '`~/.netlab/status.yaml`': async ({ directory, put }) => {
    put('.netlab/status.yaml');
    await isUnknown(netlab, { HOME: directory });
  },
  '`/run/lab-engine/ID/claim.json`': async ({ directory, put }) => {
    put('lab-engine/7/claim.json');
    mkdirSync(path.join(directory, 'netns/lab-7-a'), { recursive: true });
    const left = remainsOfEngine({ workdir: directory, instance: '7' }, directory);
    expect(await left).toEqual(['lab-7-a']);
  },
  '`ID.json`, a multilab id that was given out': async ({ directory, put }) => {
    put('7.json');
    expect([...(await new IdClaimFiles(directory).read())]).toEqual([[7, null]]);
  },
  'output of `netlab inspect`': async ({ directory, bytes }) => {
    const run = () => Promise.resolve({ ...ran(''), stdout: bytes() });
    await isRefused(netlab.topology.read(directory, run, 'demo'));
  },
  'output of `status` and of `containerlab inspect`': async ({ bytes }) => {
    for (const driver of [netlab, engine, containerlab])
      await isRefused(driver.status.allJson(() => Promise.resolve({ ...ran(''), stdout: bytes() })));
  },
  '`jobs/ID/log`, for the results of tests': async ({ put }) => {
    const lines: number[] = [];
    await readLines(put('log'), length, (line) => void lines.push(line.length));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toBeLessThan(20_000);
  },
};

test('the table has the readers', () =>
  expect(rows.filter(({ parsed }) => !parsed.startsWith('never')).map(({ file }) => file)).toEqual(
    Object.keys(readers),
  ));

test('each row says who can write the file, and how much of it is read', () => {
  for (const { writer, limit } of rows)
    expect([writer !== '', /\d|any size/.test(limit)]).toEqual([true, true]);
});

describe.each(Object.entries(readers))('60 MB in %s', (_file, read) => {
  test.each(Object.entries(texts))('of %s', async (_kind, text) => {
    const directory = mkdtempSync(path.join(root, 'ground-'));
    const put = (name: string): string => {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      linkSync(text, file);
      return file;
    };
    await read({ directory, put, bytes: () => readFileSync(text) });
    execFileSync('rm', ['-r', directory]);
  });
});
