/** A service of root whose jobs are another user's, who is on this machine for that service alone. */
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requirement } from './requirements.ts';
import { makeGround, startProgram } from './service.ts';

/** Why jobs cannot run as another user here; undefined when they can. */
export const missingForJobUser =
  process.getuid?.() === 0
    ? ['setpriv', 'unshare'].map((name) => requirement(name).missing).find((why) => why !== undefined)
    : 'only root can run jobs as another user';

/** Of the user `labs`. */
export const uid = 64_321;
export const canary = 'canary-of-the-service';
export const authorization = `Basic ${Buffer.from(`eva:${canary}`).toString('base64')}`;

/** With a user of its own, whom only the service and its jobs know: /etc/passwd is another file in their mount namespace. */
export function makeOwnGround() {
  const ground = makeGround();
  const home = path.join(ground.root, 'home');
  chmodSync(ground.root, 0o755);
  for (const name of ['home', 'labs', 'labs/demo', 'fake-lab-state'])
    chownSync(path.join(ground.root, name), uid, uid);
  const passwd = path.join(ground.root, 'passwd');
  const known = readFileSync('/etc/passwd', 'utf8').trimEnd();
  writeFileSync(passwd, `${known}\nlabs:x:${uid}:${uid}::${home}:/bin/sh\n`);
  const bind = 'mount --bind "$0" /etc/passwd && exec "$@"';
  return { ground, home, through: ['unshare', '--mount', 'sh', '-c', bind, passwd] };
}

export const variables = { LAB_API_JOB_USER: 'labs', LAB_API_USER: 'eva', LAB_API_PASSWORD: canary };

export async function startAs(
  { ground, through }: ReturnType<typeof makeOwnGround>,
  env: Record<string, string> = {},
) {
  const client = { headers: { authorization } };
  return startProgram({ ground, through, env: { ...variables, LAB_API_ROOTS: ground.root, ...env }, client });
}

type Service = Awaited<ReturnType<typeof startAs>>;

/** Runs a job to its end. */
export async function run(service: Service, body: Readonly<Record<string, unknown>>) {
  const id = await service.start(body);
  const job = await service.ended(id);
  return { id, job, log: await service.logText(id) };
}
