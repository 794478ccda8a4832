import { spawn } from 'node:child_process';
import { endChild, endWithScript } from './end-child.mjs';
import { freePort } from './free-port.mjs';
import { tries } from './wait.mjs';

/**
 * Starts `netlab api` as a process of its own; resolves when it answers.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cwd
 */
export async function startNetlabApi(env, cwd) {
  const port = await freePort();
  const args = ['api', '--bind', '127.0.0.1', '--port', String(port)];
  const child = spawn('netlab', args, { env, cwd, stdio: 'ignore', detached: true });
  endWithScript(child);
  const url = `http://127.0.0.1:${port}`;
  try {
    await tries('netlab api answers', async () => (await fetch(`${url}/healthz`)).ok);
  } catch (error) {
    await endChild(child);
    throw error;
  }
  return { child, url };
}
