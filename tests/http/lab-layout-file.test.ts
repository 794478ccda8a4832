/** Positions that containerlab's editors keep beside a topology: where the picture starts, and where it is saved. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { container } from '../support/containerlab-recorded.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';

const ground = makeGround();
const labs = path.join(ground.root, 'labs');
const shared = path.join(ground.root, 'shared');
const people = new People({ ann: { role: 'admin' }, nick: { role: 'operator', workdirs: [labs] } });
const [ann, nick] = [people.as('ann'), people.as('nick')];

/** A containerlab that tells of the labs in a file. */
const cli = path.join(ground.root, 'bin', 'containerlab');
mkdirSync(path.dirname(cli), { recursive: true });
writeFileSync(cli, `#!/bin/sh\ncase "$1" in inspect) cat "$(dirname "$0")/status.json" ;; esac\n`, {
  mode: 0o755,
});

let service: RunningService;
let workdir = '';
let topology = '';
let file = '';

/** The lab `demo` runs in `workdir`, from a topology in `place`. */
async function place(where: string): Promise<void> {
  mkdirSync(where, { recursive: true });
  topology = path.join(where, 'demo.clab.yml');
  file = `${topology}.annotations.json`;
  writeFileSync(topology, 'name: demo\n');
  const nodes = ['r1', 'r2'].map((name) => {
    const one = container(name, workdir, 'demo');
    return { ...one, Labels: { ...one.Labels, 'clab-topo-file': topology } };
  });
  writeFileSync(path.join(path.dirname(cli), 'status.json'), JSON.stringify({ demo: nodes }));
  // A status that began before would have the place of the test before.
  await service.request('/labs', { headers: { ...ann, 'Cache-Control': 'no-cache' } });
}

beforeAll(async () => {
  const env = { LAB_API_CLI: cli, LAB_API_STATUS_MAX_AGE: '1ms', LAB_API_ROOTS: [labs, shared].join(':') };
  service = await startService({ ground: makeGround(), env, admit: people.admit });
});

beforeEach(async () => {
  mkdirSync(labs, { recursive: true });
  workdir = mkdtempSync(path.join(labs, 'lab-'));
  mkdirSync(path.join(workdir, 'clab-demo'));
  const links = [
    {
      endpoints: { a: { node: 'r1', interface: 'eth1' }, z: { node: 'r2', interface: 'eth1' } },
    },
  ];
  writeFileSync(
    path.join(workdir, 'clab-demo', 'topology-data.json'),
    JSON.stringify({ nodes: { r1: { index: '0' }, r2: { index: '1' } }, links }),
  );
  await place(workdir);
});

const layout = async (headers = ann) => (await service.request('/labs/demo/layout', { headers })).json;
const put = async (body: object, headers = ann) =>
  service.request('/labs/demo/layout', { method: 'PUT', body, headers });
const at = (x: number, y: number) => ({ x, y });

const others = {
  freeTextAnnotations: [{ id: 't', text: 'Rack "A"\u00e9', position: at(1, 2), fontSize: 14 }],
  groupStyleAnnotations: [{ id: 'g', name: 'Spine', level: '1', position: at(3, 4), width: 10.5 }],
  viewerSettings: { gridLineWidth: 0.25 },
};
const annotations = {
  ...others,
  nodeAnnotations: [
    { id: 'r1', icon: 'pe', position: at(100, 50), group: 'g' },
    { id: 'r2', interfacePattern: 'e1-{n}' },
  ],
};
const write = (document: unknown): void => writeFileSync(file, `${JSON.stringify(document, null, 4)}\n`);

describe('the file', () => {
  test('is where the layout and the picture start', async () => {
    expect(await layout()).toEqual({ nodes: {}, links: {} });
    const before = (await service.request('/labs/demo/topology.svg', { headers: ann })).text;
    write({
      ...annotations,
      nodeAnnotations: [
        { id: 'r1', position: at(0, 0) },
        { id: 'r2', position: at(0, 900) },
      ],
    });
    expect(await layout()).toEqual({ nodes: { r1: at(0, 0), r2: at(0, 900) }, links: {} });
    const picture = (await service.request('/labs/demo/topology.svg', { headers: ann })).text;
    expect(picture).not.toBe(before);
    expect(Number(/<svg[^>]* height="([\d.]+)"/.exec(picture)?.[1])).toBeGreaterThan(900);
  });

  test('gets what is saved; all else in it, and how it is written, stays', async () => {
    write(annotations);
    expect(await put({ nodes: { r1: at(7, 8.5), r2: at(9, 10) } })).toMatchObject({ status: 200 });
    expect(readFileSync(file, 'utf8')).toBe(
      `${JSON.stringify(
        {
          ...others,
          nodeAnnotations: [
            { id: 'r1', icon: 'pe', position: at(7, 8.5), group: 'g' },
            { id: 'r2', interfacePattern: 'e1-{n}', position: at(9, 10) },
          ],
        },
        null,
        4,
      )}\n`,
    );
    expect(readdirSync(workdir).toSorted()).toEqual([
      'clab-demo',
      path.basename(topology),
      path.basename(file),
    ]);
  });
});

describe('what is no such file is not looked at, and left as it is', () => {
  const elsewhere = (): string => {
    const target = path.join(ground.root, 'target.json');
    writeFileSync(target, JSON.stringify(annotations));
    return target;
  };

  test.each<[string, () => void]>([
    ['a link', () => symlinkSync(elsewhere(), file)],
    ['a pipe', () => void execFileSync('mkfifo', [file])],
    ['a directory', () => mkdirSync(file)],
    ['a giant', () => write({ ...annotations, text: 'x'.repeat(5 * 1024 * 1024) })],
  ])('%s', async (_what, make) => {
    make();
    const before = lstatSync(file);
    expect(await layout()).toEqual({ nodes: {}, links: {} });
    expect(await put({ nodes: { r1: at(7, 8) } })).toMatchObject({ status: 200 });
    expect(await layout()).toEqual({ nodes: { r1: at(7, 8) }, links: {} });
    const after = lstatSync(file);
    expect([after.ino, after.mtimeMs, after.size]).toEqual([before.ino, before.mtimeMs, before.size]);
    if (before.isSymbolicLink()) expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(annotations));
  });
});

describe('who may not', () => {
  test('outside of the allowed directories, nothing is read', async () => {
    await place(path.join(ground.root, 'outside'));
    write(annotations);
    expect(await layout()).toEqual({ nodes: {}, links: {} });
    await put({ nodes: { r1: at(7, 8) } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(annotations);
  });

  test('a link in the place of the directory leads nowhere', async () => {
    const outside = path.join(ground.root, 'moved');
    await place(path.join(workdir, 'sub'));
    write(annotations);
    rmSync(outside, { recursive: true, force: true });
    renameSync(path.dirname(file), outside);
    symlinkSync(outside, path.dirname(file));
    expect(await layout()).toEqual({ nodes: {}, links: {} });
    await put({ nodes: { r1: at(7, 8) } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(annotations);
  });

  test('a user with directories of his own changes no file that is not in them', async () => {
    await place(shared);
    write(annotations);
    expect(await put({ nodes: { r1: at(7, 8) } }, nick)).toMatchObject({ status: 200 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(annotations);
    expect(await layout(nick)).toMatchObject({ nodes: { r1: at(7, 8) } });
    expect(await put({ nodes: { r1: at(7, 8) } }, ann)).toMatchObject({ status: 200 });
    expect(JSON.parse(readFileSync(file, 'utf8')).nodeAnnotations[0].position).toEqual(at(7, 8));
    await place(workdir);
    write(annotations);
    expect(await put({ nodes: { r1: at(1, 1) } }, nick)).toMatchObject({ status: 200 });
    expect(JSON.parse(readFileSync(file, 'utf8')).nodeAnnotations[0].position).toEqual(at(1, 1));
  });
});
