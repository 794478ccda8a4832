import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareShell } from './remote-lab.ts';
import { builtProgram } from './service.ts';

/** Runs `lab` with this users file, and this on its standard input. */
export async function labWith(args: readonly string[], file: string | undefined, input = '') {
  const child = spawn(process.execPath, [builtProgram, ...args], {
    env: { ...bareShell, ...(file !== undefined && { LAB_API_USERS_FILE: file }) },
  });
  let [out, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, said };
}
