/** The part of scripts/smoke-docker.mjs about the image with netlab and FRR: a routed lab inside a container, without Docker. */
import { freePort } from '../lib/free-port.mjs';
import { must } from '../lib/words.mjs';
import { tries } from '../lib/wait.mjs';
import { build, docker, row, Service, sizeMb, words } from './tools.mjs';

const image = 'lab-api-frr:smoke';
const workdir = '/labs/examples/ospf';
// The options of docs/docker.md, and nothing more.
const options = [
  ...words('--cap-add NET_ADMIN --cap-add SYS_ADMIN'),
  ...words('--security-opt apparmor=unconfined --security-opt no-new-privileges'),
  ...words('--read-only --tmpfs /tmp --tmpfs /run'),
];

export async function frr() {
  await build('lab-api-frr', image);
  row('size of lab-api-frr', `${(await sizeMb(image)).toFixed(0)} MB`);
  // Docker would choose another port after the restart.
  const port = await freePort();
  const service = await Service.start(image, [...options, '-p', `127.0.0.1:${port}:8090`], { port });
  let from = performance.now();
  await service.job({ action: 'up', workdir });
  row('netlab up of examples/ospf, in namespaces of the container', from);
  const { runtime } = await service.get('/labs/default');
  must(runtime === 'namespaces', `the runtime of the lab is ${runtime}`);
  from = performance.now();
  await service.job({ action: 'validate', workdir });
  row('validate: each host reaches the other', from);
  await docker('restart', '-t', '1', service.name);
  await tries('after a restart of the container, the lab is missing', async () => {
    const { state } = await service.get('/labs/default');
    return state === 'missing';
  });
  from = performance.now();
  await service.job({ action: 'down', workdir, cleanup: true });
  row('netlab down', from);
  const left = await service.exec('sh', '-c', `ls /run/netns; ls ${workdir}`);
  must(left === 'topology.yml', `these are left: ${left}`);
  await service.remove();
}
