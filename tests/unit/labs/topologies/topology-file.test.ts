import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { containerlab } from '../../../../src/labs/drivers/containerlab/containerlab.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import * as topologyFile from '../../../../src/labs/topologies/topology-file.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const anywhere = new AllowedRoots([]);
let workdir: string;

async function findTopologyFile(
  directory: string,
  topologyPath: string | undefined,
  roots: AllowedRoots,
): Promise<string> {
  const { topologies } = netlab;
  return topologyFile.findTopologyFile(topologyPath, { workdir: directory, roots, topologies });
}

function write(name: string): string {
  const file = path.join(workdir, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'nodes: [a]\n');
  return file;
}

beforeEach(() => {
  workdir = mkdtempSync(path.join(root, 'work-'));
});

describe('a named file', () => {
  test('is relative to the working directory, or absolute', async () => {
    const file = write('sub/lab.yml');
    expect(await findTopologyFile(workdir, 'sub/lab.yml', anywhere)).toBe(file);
    expect(await findTopologyFile('/', file, anywhere)).toBe(file);
  });

  test('that is missing is "not found", even when a default is there', async () => {
    write('topology.yml');
    expect(await failureOf(findTopologyFile(workdir, 'x.yml', anywhere))).toMatchObject({
      code: 'topology-not-found',
    });
  });

  test('must be a regular file', async () => {
    execFileSync('mkfifo', [path.join(workdir, 'fifo.yml')]);
    for (const name of ['.', 'fifo.yml', '/dev/null', 'a\0b']) {
      const error = await failureOf(findTopologyFile(workdir, name, anywhere));
      expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'topologyPath' }] });
      expect(error.message).toMatch(/is not a regular file|NUL/);
    }
  });

  test('must lie inside the roots, also through a link, also when it is missing', async () => {
    const roots = new AllowedRoots([workdir]);
    symlinkSync('/etc/hostname', path.join(workdir, 'link.yml'));
    for (const name of ['link.yml', '/etc/hostname', '../x.yml', '/no/such/file']) {
      expect(await failureOf(findTopologyFile(workdir, name, roots))).toMatchObject({
        code: 'forbidden-path',
        errors: [{ field: 'topologyPath' }],
      });
    }
  });
});

describe('no named file', () => {
  test('means the first default that is there', async () => {
    for (const name of ['topology.yaml', 'topology.yml', 'netlab/topology.yaml', 'netlab/topology.yml']) {
      const file = write(name);
      expect(await findTopologyFile(workdir, undefined, anywhere)).toBe(file);
    }
    rmSync(path.join(workdir, 'netlab'), { recursive: true });
    expect(await findTopologyFile(workdir, undefined, anywhere)).toBe(path.join(workdir, 'topology.yml'));
  });

  test('and no default names the fields that could be given', async () => {
    mkdirSync(path.join(workdir, 'topology.yml'));
    const error = await failureOf(findTopologyFile(workdir, undefined, anywhere));
    expect(error.code).toBe('invalid-request');
    expect(error.errors.map(({ field }) => field)).toEqual(['topologyUrl', 'topology', 'topologyPath']);
    // The sentence stands in the reply already.
    for (const { message } of error.errors) expect(message).toBe('one of the three is needed');
  });

  test('and a topology of another lab CLI of the service says how to ask for that one', async () => {
    const find = async (): Promise<string> =>
      topologyFile.findTopologyFile(undefined, {
        workdir,
        roots: anywhere,
        topologies: netlab.topologies,
        otherDrivers: [containerlab],
      });
    expect((await failureOf(find())).message).not.toContain('"cli"');
    write('dc1.clab.yml');
    expect((await failureOf(find())).message).toMatch(
      /topology\.yml.*; dc1\.clab\.yml is there, for which the request needs "cli": "containerlab"$/,
    );
    expect((await failureOf(findTopologyFile(workdir, undefined, anywhere))).message).not.toContain('"cli"');
  });

  test('checks the default against the roots', async () => {
    symlinkSync('/etc/hostname', path.join(workdir, 'topology.yml'));
    const found = findTopologyFile(workdir, undefined, new AllowedRoots([workdir]));
    expect(await failureOf(found)).toMatchObject({ code: 'forbidden-path', errors: [{ field: 'workdir' }] });
  });
});
