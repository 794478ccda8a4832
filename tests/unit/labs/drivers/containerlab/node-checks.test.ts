import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whyNotStarted, whyNotStopped } from '../../../../../src/labs/drivers/containerlab/node-checks.ts';
import type { RunResult } from '../../../../../src/labs/system/run.ts';
import { printed } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const workdir = temporaryDirectory();

/** What containerlab leaves of a lab with one link, from the `lo` of h1: the only interface that every machine has. */
function writeTopology(interfaceOfH1: string): void {
  mkdirSync(path.join(workdir, 'clab-blue'), { recursive: true });
  const end = { interface: interfaceOfH1, node: 'h1' };
  const nodes = { h1: { index: '0' }, h2: { index: '1' } };
  const links = [{ endpoints: { a: end, z: { interface: 'eth1', node: 'sr' } } }];
  writeFileSync(path.join(workdir, 'clab-blue', 'topology-data.json'), JSON.stringify({ nodes, links }));
}

/** `docker ps` tells these containers (id, node, whole node, state), and `docker inspect` our own process. */
const machine = (
  lines: readonly string[],
  end: Partial<RunResult> = {},
  inspected: Partial<RunResult> = {},
) => {
  const asked: string[] = [];
  const look = (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(' '));
    if (args[0] === 'ps') return Promise.resolve(printed(lines.map((line) => `${line}\n`).join(''), end));
    return Promise.resolve(printed(`${process.pid}\n`, inspected));
  };
  return { asked, look };
};

const claim = (
  nodes: readonly string[],
  { look }: Pick<ReturnType<typeof machine>, 'look'>,
  logEnd = '',
) => ({ workdir, instance: 'blue', nodes, look, logEnd });

beforeEach(() => writeTopology('lo'));

const three = ['1\th1\t\texited', '2\th2\t\trunning', '3\tsr-a\tsr\trunning'];

describe('stopped', () => {
  test('are nodes that have no process, and those that were not meant do not count', async () => {
    const { look, asked } = machine(three);
    expect(await whyNotStopped(claim(['h1'], { look }))).toBeUndefined();
    expect(asked).toEqual([expect.stringContaining('--filter label=containerlab=blue ')]);
  });

  test.each([
    [['h1', 'h2'], 'h2'],
    [['sr'], 'sr-a'],
    [['*'], 'h2, sr-a'],
  ])('not all of %j: %s', async (nodes, names) => {
    expect(await whyNotStopped(claim(nodes, machine(three)))).toContain(`these nodes still run: ${names};`);
  });

  test.each(['created', 'dead'])('are those that are %s', async (state) => {
    expect(await whyNotStopped(claim(['*'], machine([`1\th1\t\t${state}`])))).toBeUndefined();
  });

  test('of no lab there are none, and Docker is not asked', async () => {
    const { look, asked } = machine(three);
    expect(await whyNotStopped({ ...claim(['*'], { look }), instance: null })).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('a Docker that does not tell proves nothing', async () => {
    const broken = machine(three, { exitCode: 1 });
    expect(await whyNotStopped(claim(['*'], broken))).toBeUndefined();
    expect(await whyNotStarted(claim(['*'], broken))).toBeUndefined();
  });
});

describe('started', () => {
  test('are nodes that run, with their links', async () => {
    expect(await whyNotStarted(claim(['h2'], machine(three)))).toBeUndefined();
    expect(await whyNotStarted(claim(['h1'], machine(['1\th1\t\trunning'])))).toBeUndefined();
  });

  test('of which Docker is asked for the processes of those that have links, parts of nodes left out', async () => {
    const { look, asked } = machine(['1\th1\t\trunning', '2\th2\t\trunning', '3\th1\tsr\trunning']);
    expect(await whyNotStarted(claim(['*'], { look }))).toBeUndefined();
    expect(asked).toEqual([
      `docker ps --all --no-trunc --filter label=containerlab=blue --format ${[
        '{{.ID}}',
        '{{.Label "clab-node-name"}}',
        '{{.Label "clab-root-node-name"}}',
        '{{.State}}',
      ].join('\t')}`,
      'docker inspect --format {{.State.Pid}} 1',
    ]);
    const unlinked = machine(['2\th2\t\trunning', '3\tsr-a\tsr\trunning']);
    expect(await whyNotStarted(claim(['*'], unlinked))).toBeUndefined();
    expect(unlinked.asked).toHaveLength(1);
  });

  test('of which Docker does not tell the processes, or that have just ended, are believed', async () => {
    writeTopology('eth7');
    const lines = ['1\th1\t\trunning'];
    expect(await whyNotStarted(claim(['h1'], machine(lines, {}, { exitCode: 1 })))).toBeUndefined();
    // A number that no process has (proc(5): pid_max).
    const gone = { stdout: Buffer.from('4194305\n') };
    expect(await whyNotStarted(claim(['h1'], machine(lines, {}, gone)))).toBeUndefined();
  });

  test('not one that has ended again', async () => {
    expect(await whyNotStarted(claim(['*'], machine(three)))).toContain('these nodes do not run: h1;');
  });

  test('not one that runs without a link, unless containerlab has said that it has it again', async () => {
    writeTopology('eth7');
    const h1 = machine(['1\th1\t\trunning']);
    expect(await whyNotStarted(claim(['h1'], h1))).toContain('run without links of theirs: h1 (eth7);');
    const log = '22:02:10 \x1b[32mINFO\x1b[0m Restored link \x1b[2mnode\x1b[0m=h1 interface=eth7\n';
    expect(await whyNotStarted(claim(['h1'], h1, log))).toBeUndefined();
  });

  test('of which nobody knows the links are believed', async () => {
    writeFileSync(path.join(workdir, 'clab-blue', 'topology-data.json'), '{');
    expect(await whyNotStarted(claim(['h1'], machine(['1\th1\t\trunning'])))).toBeUndefined();
  });
});
