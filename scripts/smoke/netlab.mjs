/** The part of scripts/smoke-docker.mjs that starts real labs: the image with netlab on this machine as a lab server. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../lib/free-port.mjs';
import { must } from '../lib/words.mjs';
import { tries } from '../lib/wait.mjs';
import { atEnd, build, docker, example, row, run, Service, sizeMb, temporary, words } from './tools.mjs';

const netlabImage = 'lab-api-netlab:smoke';
/** The images that netlab 26.10 starts for examples/ospf. */
const deviceImages = ['quay.io/frrouting/frr:10.7.1', 'python:3.13-alpine'];

/** Why a real lab cannot be started here; undefined when it can. */
export async function whyNoNetlab() {
  const found = onPath('containerlab');
  if (found === undefined) return 'containerlab is not on PATH';
  for (const name of deviceImages) {
    const there = await docker('image', 'inspect', name).catch(() => undefined);
    if (there === undefined) return `there is no image ${name}`;
  }
  return undefined;
}

/** @param {string} program */
function onPath(program) {
  const directories = [...(process.env['PATH'] ?? '').split(':'), '/opt/netlab/bin'];
  return directories.map((directory) => path.join(directory, program)).find((file) => existsSync(file));
}

/** The lab server: real containers of a real netlab, started from inside the container. */
export async function netlab() {
  await build('lab-api-netlab', netlabImage);
  row('size of lab-api-netlab', `${(await sizeMb(netlabImage)).toFixed(0)} MB`);
  const labs = path.join(temporary, 'labs');
  const [workdir, outside] = [path.join(labs, 'ospf'), path.join(labs, 'outside')];
  for (const directory of [workdir, outside]) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'topology.yml'), example('ospf'));
  }
  const state = path.join(os.homedir(), '.netlab');
  const defaults = path.join(os.homedir(), '.netlab.yml');
  mkdirSync(state, { recursive: true });
  const port = await freePort();
  const options = [
    ...words('--read-only --tmpfs /tmp --tmpfs /root --network host --pid host'),
    ...words('--cap-add NET_ADMIN --cap-add SYS_ADMIN --cap-add SYS_PTRACE'),
    ...words('--security-opt apparmor=unconfined'),
    ...words('-v /var/run/docker.sock:/var/run/docker.sock -v /run/netns:/run/netns'),
    ...[`${labs}:${labs}`, `${state}:/root/.netlab`].flatMap((mount) => ['-v', mount]),
    ...(existsSync(defaults) ? ['-v', `${defaults}:/root/.netlab.yml:ro`] : []),
    ...words(`-v ${onPath('containerlab')}:/usr/local/bin/containerlab:ro -e LAB_API_PORT=${port}`),
  ];
  const service = await Service.start(netlabImage, options, { port });
  must(
    !('default' in (await service.get('/status'))),
    'a lab instance "default" is there already; take it down first',
  );
  const body = { action: 'down', instance: 'default', cleanup: true, force: true };
  const takeDown = atEnd(async () => {
    // There is no lab of that name any more when all went well.
    if ('default' in (await service.get('/status'))) await service.ended(await service.post('/jobs', body));
  });
  let from = performance.now();
  await service.job({ action: 'up', workdir });
  row('netlab up of examples/ospf, from inside', from);
  const { nodes } = await service.get('/status/default');
  must(
    Object.keys(nodes ?? {})
      .toSorted()
      .join() === 'h1,h2,r1,r2',
    'the status lists other nodes',
  );
  from = performance.now();
  const ping = ['ping', '-c', '1', '-W', '1', 'h2'];
  await tries(
    'h1 reaches h2 through two OSPF routers',
    async () => docker('exec', 'clab-ospf-h1', ...ping),
    90,
  );
  row('h1 reaches h2 through two OSPF routers', from);
  await service.job({ action: 'collect', workdir });
  must(existsSync(path.join(workdir, 'config')), 'nothing was collected');
  await service.job({ action: 'down', workdir, cleanup: true });
  await labFromOutside(service, outside);
  must((await docker('ps', '-aq', '--filter', 'name=^clab-ospf-')) === '', 'containers of the lab are left');
  await takeDown();
  await service.remove();
}

/** The service lists a lab that was started outside the container, and can stop it. @param {Service} service @param {string} workdir */
async function labFromOutside(service, workdir) {
  const program = onPath('netlab');
  if (program === undefined) return row('a lab started outside', 'skipped: netlab is not on PATH');
  const env = { ...process.env, PATH: `${path.dirname(program)}:${process.env['PATH']}` };
  await run(program, ['up', '--no-config'], { cwd: workdir, env });
  const { dir } = (await service.get('/status')).default ?? {};
  must(dir === workdir, `the lab started outside is not in /status inside (${dir})`);
  await service.job({ action: 'down', instance: 'default', cleanup: true });
  row('a lab started outside', 'seen inside, and stopped from there');
}
