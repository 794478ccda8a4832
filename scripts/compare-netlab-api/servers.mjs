/** The two services that scripts/compare-netlab-api.mjs compares, each of which can be killed and started again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../lib/free-port.mjs';
import { must } from '../lib/words.mjs';
import { restartableService } from '../lib/restartable-service.mjs';
import { tries } from '../lib/wait.mjs';

/**
 * @typedef {object} Server
 * @property {string} word a name for its files
 * @property {() => string} url where it listens, once it was started
 * @property {() => Promise<void>} start resolves when it answers
 * @property {() => Promise<void>} kill SIGKILL to the service alone
 */

/** @param {string} directory @returns {Server} */
const labApi = (directory) => ({
  word: 'lab-api',
  ...restartableService(directory, { LAB_API_CLI: 'netlab' }),
});

/** @param {string} directory @returns {Server} */
function netlabApi(directory) {
  const env = { ...process.env, NETLAB_API_DATA_DIR: path.join(directory, 'netlab-api') };
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  let url = '';
  return {
    word: 'netlab-api',
    url: () => url,
    start: async () => {
      const port = await freePort();
      const args = ['api', '--bind', '127.0.0.1', '--port', String(port)];
      child = spawn('netlab', args, { env, cwd: directory, stdio: 'ignore', detached: true });
      url = `http://127.0.0.1:${port}`;
      await tries('netlab api answers', async () => (await fetch(`${url}/healthz`)).ok);
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      must(child.kill('SIGKILL'), 'netlab api has ended by itself');
      await closed;
    },
  };
}

/** @param {string} directory where they keep their files */
export const servers = (directory) => [labApi(directory), netlabApi(directory)];
