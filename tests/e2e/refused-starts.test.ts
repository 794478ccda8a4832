/** What a person sees when the service cannot be started on this machine. */
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { insides } from '../support/problem.ts';
import { builtProgram, makeGround, runProgram, startProgram } from '../support/service.ts';

describe('a start that the machine refuses: one line, exit 1', () => {
  async function refused(env: Record<string, string>, args: readonly string[] = []): Promise<string> {
    const ground = makeGround();
    const run = runProgram(['api', ...args], { ...ground.env, ...env }, ground.root);
    const code = await run.exit;
    expect(run.output()).not.toMatch(insides);
    expect({ code, lines: run.output().trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
    return run.output();
  }

  test('the address is in use', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    try {
      expect(await refused({ LAB_API_PORT: String(port) })).toBe(
        `lab api: 127.0.0.1 port ${port} is in use by another program; stop it, or choose another --port\n`,
      );
    } finally {
      server.close();
    }
  });

  test('the machine does not have the address', async () => {
    expect(await refused({ LAB_API_BIND: '192.0.2.1' })).toMatch(
      /^lab api: this machine has no address 192\.0\.2\.1/,
    );
  });

  test('the data directory is in use: names the process', async () => {
    const program = await startProgram();
    const output = await refused({ LAB_API_DATA_DIR: program.ground.dataDir });
    expect(output).toContain(`is in use by the service with process id ${program.run.child.pid};`);
    expect((await program.get('/healthz')).status).toBe(200);
  });

  test('too few files may be open to load the program', () => {
    const { env, root } = makeGround();
    const wrongPort = { ...env, LAB_API_PORT: 'none' };
    const start = 'ulimit -n "$0" && exec "$@"';
    // How many Node itself needs depends on its version: fewer and fewer, until our own files are too many.
    const refusals = [40, 36, 32, 28, 26, 24, 22, 20].map((limit) => {
      const args = ['-c', start, String(limit), process.execPath, builtProgram, 'api'];
      const { status, stderr } = spawnSync('/bin/sh', args, { env: wrongPort, cwd: root, encoding: 'utf8' });
      return { status, stderr };
    });
    expect(refusals.find(({ stderr }) => !stderr.includes('LAB_API_PORT'))).toEqual({
      status: 1,
      stderr: 'lab: too few files may be open at once to start: raise the limit (ulimit -n)\n',
    });
  });

  // Node's recursive mkdir never ends in /proc.
  test.each(['/dev/null/data', '/proc/x', '/proc/x/y'])(
    'the data directory %s cannot be made',
    async (it) => {
      expect(await refused({ LAB_API_DATA_DIR: it })).toMatch(
        new RegExp(`^lab api: cannot make the data directory ${it}: `),
      );
    },
  );
});
