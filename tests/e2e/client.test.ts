/** The client that programs import, against the built service. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FeedNews } from '../../src/client/follow.ts';
import { LabApiClient } from '../../src/client/lab-api-client.ts';
import { freePort } from '../support/free-port.ts';
import { repoRoot } from '../support/repo-files.ts';
import { makeGround, runCommand, startProgram, startService, topologyThat } from '../support/service.ts';

describe('LabApiClient', () => {
  test('follows jobs over a kill of the service: every state of a job once, in order', async () => {
    const ground = makeGround();
    const env = { LAB_API_PORT: String(await freePort()) };
    const first = await startProgram({ ground, env });
    const client = new LabApiClient({ url: first.url });
    const news = client.followEvents({ types: ['job'] });
    const kinds = [(await news.next()).value?.kind, (await news.next()).value?.kind];
    expect(kinds).toEqual(['snapshot', 'ready']);
    const { id } = await client.startJob({
      action: 'create',
      workdir: ground.workdir,
      topology: topologyThat('wait_for go'),
    });
    await ground.waitsFor('go');
    await first.end('SIGKILL');
    await startProgram({ ground, env });
    ground.let('go');
    const states: string[] = [];
    for await (const { kind, data } of news as AsyncGenerator<Extract<FeedNews, { kind: 'job' }>>) {
      expect(kind).toBe('job');
      if (data.job.id === id && data.change !== 'progress') states.push(data.job.state);
      if (states.at(-1) === 'success') break;
    }
    expect(states).toEqual(['queued', 'running', 'success']);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'success', exitCode: 0 });
  });

  test('the example in docs/command-line.md type-checks and runs', async () => {
    const service = await startService();
    const { workdir } = service.ground;
    writeFileSync(path.join(workdir, 'topology.yml'), topologyThat('echo configured'));
    const page = readFileSync(path.join(repoRoot, 'docs', 'command-line.md'), 'utf8');
    const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
    // The package finds itself by its name only from a directory below it.
    const directory = mkdtempSync(path.join(repoRoot, 'dist', 'example-'));
    try {
      const program = path.join(directory, 'example.mts');
      writeFileSync(program, example);
      const tsc = path.join(repoRoot, 'node_modules', '.bin', 'tsc');
      const flags = [
        '--ignoreConfig',
        '--rootDir',
        directory,
        '--outDir',
        directory,
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
      ];
      const types = ['--types', 'node', '--typeRoots', path.join(repoRoot, 'node_modules', '@types')];
      const checked = runCommand([tsc, ...flags, ...types, program], process.env, directory);
      expect([await checked.exit, checked.output()]).toEqual([0, '']);
      const js = path.join(directory, 'example.mjs');
      const text = readFileSync(js, 'utf8');
      writeFileSync(js, text.replace('http://127.0.0.1:8090', service.url).replace('/labs/demo', workdir));
      const run = runCommand([process.execPath, js], process.env, directory);
      expect([await run.exit, run.output()]).toEqual([
        0,
        expect.stringMatching(/configured\n[^]*^success null$/m),
      ]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
