/** Whether Docker answers on this machine, without a run of `docker`. */
import http from 'node:http';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import type { Environment } from './lab-driver.ts';

/** Where Docker listens without `DOCKER_HOST`. */
const usualSocket = '/var/run/docker.sock';
/** A daemon that hangs takes connections and does not answer. */
const limitMs = 2_000;
/** Probes may ask many times a second. */
const ageMs = 1_000;

const latest = new Map<string, { readonly found: Promise<string | undefined>; readonly endsMs: number }>();

async function ask(socketPath: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = { socketPath, path: '/_ping', agent: false, signal: AbortSignal.timeout(limitMs) };
    const fail = (error: Error): void => {
      // A program that runs as root (SUID, `sudo`) may ask it where the service may not.
      if (systemCode(error) === 'EACCES') return resolve(undefined);
      const why = error.name === 'AbortError' ? 'no answer in time' : (systemCode(error) ?? messageOf(error));
      resolve(`Docker does not answer at ${socketPath}: ${why}`);
    };
    const request = http.get(asked, (response) => {
      response.destroy();
      resolve(undefined);
    });
    request.on('error', fail);
  });
}

/** Undefined when it answers, and when that is unknown: Docker of another machine is not asked. */
export async function whyNoDocker(env: Environment): Promise<string | undefined> {
  const [, socket] = /^unix:\/\/(.*)$/.exec(env['DOCKER_HOST'] || `unix://${usualSocket}`) ?? [];
  if (socket === undefined) return undefined;
  const now = performance.now();
  const known = latest.get(socket);
  if (known !== undefined && now < known.endsMs) return known.found;
  const found = ask(socket);
  latest.set(socket, { found, endsMs: now + ageMs });
  return found;
}
