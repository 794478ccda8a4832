import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from '../../../../src/engine/core/engine-context.ts';
import { EngineError } from '../../../../src/engine/core/engine-error.ts';
import { computeLab, topologyFileOf } from '../../../../src/engine/lab/compute-lab.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** The command line without options for the topology. */
const nothing = { plugins: [], settings: [] };
let cwd: string;
let printed: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(root, 'lab-'));
  printed = '';
});

function context(): EngineContext {
  return {
    home: root,
    cwd,
    runDir: root,
    seesKernel: true,
    out: () => undefined,
    err: (text) => (printed += text),
    interrupted: new AbortController().signal,
  };
}

/** Why there is no lab: the sentence, and the lines above it. */
async function refusalOf(text: string): Promise<{ message: string; details: readonly string[] }> {
  writeFileSync(path.join(cwd, 'topology.yml'), text);
  const error: unknown = await computeLab(context(), nothing).catch((reason: unknown) => reason);
  if (!(error instanceof EngineError)) throw new Error('the lab was computed', { cause: error });
  return error;
}

describe('the topology file', () => {
  test('is that of the directory, unless another one is named', () => {
    mkdirSync(path.join(cwd, 'sub'));
    writeFileSync(path.join(cwd, 'other.yml'), '');
    expect(topologyFileOf(cwd, nothing)).toBe('topology.yml');
    expect(topologyFileOf(cwd, { ...nothing, file: 'other.yml' })).toBe('other.yml');
    expect(topologyFileOf(cwd, { ...nothing, file: 'absent.yml' })).toBe('absent.yml');
    expect(topologyFileOf(cwd, { ...nothing, file: 'sub' })).toBe('sub/topology.yml');
  });

  test('that is missing has another error than one that cannot be read', async () => {
    await expect(computeLab(context(), nothing)).rejects.toThrow(
      `there is no topology file ${path.join(cwd, 'topology.yml')}`,
    );
    mkdirSync(path.join(cwd, 'topology.yml'));
    await expect(computeLab(context(), nothing)).rejects.toThrow(/^cannot read the topology file: /);
  });
});

describe('a lab', () => {
  test('is called after the directory of its file, and warnings tell the place in it', async () => {
    mkdirSync(path.join(cwd, 'demo'));
    writeFileSync(path.join(cwd, 'demo/topology.yml'), 'nodes: [a, b]\nlinks: [a-b]\nprovider: clab\n');
    const lab = await computeLab(context(), { ...nothing, file: 'demo' });
    expect(lab).toMatchObject({ name: 'demo', nodes: [{ name: 'a' }, { name: 'b' }] });
    expect(printed).toMatch(/^demo\/topology\.yml:3:\d+: warning: provider clab: .*\n$/);
  });

  test('with more errors than the limit says so', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `x${index}: 1\n`).join('');
    expect((await refusalOf(`nodes: [a]\n${words(100)}`)).message).toMatch(/; and 99 more errors$/);
    expect((await refusalOf(`nodes: [a]\n${words(101)}`)).message).toMatch(/; and over 99 more errors$/);
  });
});
