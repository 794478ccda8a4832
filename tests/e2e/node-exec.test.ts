/** Commands in the nodes of a lab of the bundled engine, over HTTP, and what is left of them. The forms of a reply are in tests/http. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';

const { because, home, it, prepared } = preparedLabs({ missing: missingForAnyLabs() });
const { where, instance } = prepared('exec', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
  ],
});
const env = { LAB_API_CLI: 'engine', LAB_HOME: home };

let service: RunningProgram;
/** More than the service may take of memory. */
const bytes = 2 ** 29;
const exec = async (node: string, body: unknown, headers: Record<string, string> = {}) =>
  service.post(`/labs/${instance}/nodes/${node}/exec`, body, headers);

/** Everything that the service under test has started. */
const processes = (): number[] =>
  processesWith(`LAB_HOME=${home}`).filter((pid) => pid !== service.run.child.pid);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

beforeAll(async () => {
  if (because !== '') return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env });
});
afterAll(async () => void (await service?.end()));

describe('a command in a node', () => {
  it(`runs in the network of that node${because}`, async () => {
    const { status, json } = await exec('h1', { command: ['ping', '-c1', '-W2', 'h2'] });
    expect(status).toBe(200);
    expect(json).toMatchObject({ exitCode: 0, signal: null, reason: 'exited', truncated: false });
    expect(json.output).toContain('1 received');
    const other = await exec('r1', { command: ['ip', '-br', 'link'] });
    expect(other.json.output).toMatch(/eth1[^]*eth2/);
  });
});

describe('nothing is left', () => {
  const stubborn = ['sh', '-c', 'trap "" TERM HUP INT; echo here; sleep 1000 & sleep 1000'];

  it(`when the client goes away, before or after the first word${because}`, async () => {
    const early = new AbortController();
    const path = `/labs/${instance}/nodes/h1/exec`;
    const lost = service.open(path, { method: 'POST', body: { command: stubborn }, signal: early.signal });
    await eventually('it runs', () => processes().length > 0);
    early.abort();
    await expect(lost).rejects.toThrow('aborted');
    await nothingIsLeft();

    const headers = { Accept: 'text/plain' };
    const message = await service.open(path, { method: 'POST', headers, body: { command: stubborn } });
    await once(message, 'data');
    message.destroy();
    await nothingIsLeft();
  });

  it(`of ${bytes >> 20} MiB of output, which takes no memory, nor of a client that does not read it${because}`, async () => {
    const command = ['head', '-c', String(bytes), '/dev/zero'];
    const { json } = await exec('h1', { command });
    expect(json).toMatchObject({ exitCode: 0, truncated: true });
    expect(json.output).toHaveLength(2 ** 20);
    const headers = { Accept: 'text/plain' };
    const path = `/labs/${instance}/nodes/h1/exec`;
    const message = await service.open(path, { method: 'POST', headers, body: { command } });
    let size = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) size += chunk.length;
    expect(size).toBe(bytes);
    const idle = await service.open(path, {
      method: 'POST',
      headers,
      body: { command: ['yes'], timeoutSeconds: 1 },
    });
    await eventually('it is over its time', () => processes().length === 0);
    idle.destroy();
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.run.child.pid}/status`, 'utf8'));
    expect(Number(peak?.[1])).toBeLessThan(350 * 1024);
  });

  it(`when the service stops, or is killed${because}`, async () => {
    const start = async (): Promise<void> => {
      const body = { command: stubborn };
      const headers = { Accept: 'text/plain' };
      const path = `/labs/${instance}/nodes/h1/exec`;
      const message = await service.open(path, { method: 'POST', headers, body });
      message.on('error', () => undefined);
      await once(message, 'data');
    };
    await start();
    await service.end('SIGTERM');
    await nothingIsLeft();
    service = await startProgram({ env });
    await start();
    await service.end('SIGKILL');
    await nothingIsLeft();
    service = await startProgram({ env });
  });
});
