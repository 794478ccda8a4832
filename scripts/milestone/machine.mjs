/** The parts of the lab on this machine: containers, processes, packets that arrive. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { done, must, say } from '../lib/words.mjs';
import { tries } from '../lib/wait.mjs';

const execute = promisify(execFile);
const pingSeconds = 90;

/** The output of a command of Docker. @param {...string} args */
async function docker(...args) {
  return (await execute('docker', args)).stdout;
}

/** Names of the containers of examples/ospf. */
export async function labContainers() {
  const stdout = await docker('ps', '--all', '--format', '{{.Names}}', '--filter', 'name=^clab-ospf-');
  return stdout.split('\n').filter((name) => name !== '');
}

/** h1 reaches h2 through both routers. */
export async function ping() {
  const show = "ip -4 -o addr show dev eth1 | awk '{print $4}' | cut -d/ -f1";
  const address = (await docker('exec', 'clab-ospf-h2', 'sh', '-c', show)).trim();
  must(/^[\d.]+$/.test(address), `h2 has no address on eth1: "${address}"`);
  say(`  h1 pings h2 (${address}) once OSPF has converged`);
  const once = ['ping', '-c', '1', '-W', '1', address];
  await tries('h1 reaches h2', async () => docker('exec', 'clab-ospf-h1', ...once), pingSeconds);
  done('h1 reaches h2 through both routers');
}
