/** Labs of the real containerlab: whether they can be started here, and what is left of them. */
import { afterAll } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { missingForContainers, requirement } from './requirements.ts';
import type { RunningProgram } from './service.ts';

const run = promisify(execFile);

export const images = { router: 'quay.io/frrouting/frr:10.7.1', host: 'python:3.13-alpine' } as const;

/** A lab of netlab that netlab runs by containerlab: two hosts, as the multilab instance `id`. */
export const netlabTopology = (id: number): string => `
provider: clab
plugin: [ multilab ]
defaults.multilab.id: ${id}
# Outside of what Docker gives to networks that name no addresses.
defaults.multilab.addressing.mgmt.ipv4: 198.18.{id}.0/24
defaults.device: linux
defaults.devices.linux.clab.image: ${images.host}
nodes: [ h1, h2 ]
links: [ h1-h2 ]
`;

function printedBy(file: string, ...args: readonly string[]): string {
  try {
    return execFileSync(file, args, {
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** A stand-in that does what netlab asks of containerlab knows nothing of the rest; it does not say where it comes from. */
const isReal = (file: string): boolean => /source: .*\/containerlab/.test(printedBy(file, 'version'));

/** Why no lab of containerlab can be started here; undefined when it can. */
function missing(file: string): string | undefined {
  if (file === '' || !isReal(file)) return 'containerlab is not on PATH, or is a stand-in';
  if (process.getuid?.() !== 0) return 'containerlab needs root rights';
  const noContainers = missingForContainers();
  if (noContainers !== undefined) return noContainers;
  const absent = Object.values(images).find((image) => printedBy('docker', 'image', 'inspect', image) === '');
  return absent === undefined ? undefined : `the image ${absent} is not here`;
}

const { file } = requirement('containerlab');
const why = missing(file);

/** The program, and for the names of tests why they are skipped. */
export const containerlab = {
  file,
  missing: why,
  because: why === undefined ? '' : ` (skipped: ${why})`,
} as const;

/** The version of the API of Docker's server: 41 for 1.41; 0 where there is none. */
export const dockerApi =
  why === undefined
    ? Number(printedBy('docker', 'version', '--format', '{{.Server.APIVersion}}').trim().split('.')[1])
    : 0;

/** Runs it as a person would, in a directory. */
export async function byHand(directory: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, CLAB_LABDIR_BASE: directory, CLAB_VERSION_CHECK: 'disable' };
  const { stdout } = await run(file, args, { cwd: directory, env, timeout: 60_000 });
  return stdout;
}

export async function docker(...args: readonly string[]): Promise<string> {
  return (await run('docker', args, { timeout: 60_000 })).stdout;
}

/** The containers of a lab, those that are stopped too. */
export async function containersOf(lab: string): Promise<string[]> {
  const names = await docker(
    'ps',
    '--all',
    '--filter',
    `label=containerlab=${lab}`,
    '--format',
    '{{.Names}}',
  );
  return names.split('\n').filter((name) => name !== '');
}

let count = 0;
const labs: { readonly name: string; readonly directories: Set<string> }[] = [];

/** A name that no other lab of this machine has. What is left of the lab is removed after the test file. */
export function uniqueLab(label: string): string {
  count += 1;
  const name = `ct-${label}-${process.pid}-${count}`;
  labs.push({ name, directories: new Set() });
  return name;
}

afterAll(async () => {
  for (const { name } of labs)
    if ((await containersOf(name)).length > 0) await byHand('/', 'destroy', '--name', name, '--cleanup');
}, 120_000);

/** A lab of one host, which is up once the file `/tmp/go` is there in it: what comes in between finds it half started. */
export function gatedLab(name: string): string {
  const wait = "sh -c 'until [ -e /tmp/go ]; do sleep 0.1; done'";
  return JSON.stringify({
    name,
    topology: { nodes: { h1: { kind: 'linux', image: images.host, exec: [wait] } } },
  });
}

/** Lets `gatedLab` go on. */
export async function openGateOf(lab: string): Promise<void> {
  await docker('exec', `clab-${lab}-h1`, 'touch', '/tmp/go');
}

/** One host that is up at once. */
export function smallLab(name: string | undefined): object {
  return { ...(name && { name }), topology: { nodes: { h1: { kind: 'linux', image: images.host } } } };
}

/** Runs a job to its end; the log is what a follower saw. */
export async function runJob(service: RunningProgram, body: Readonly<Record<string, unknown>>) {
  const id = await service.start(body);
  const { text } = await service.get(`/jobs/${id}/log?follow=true`);
  return { job: await service.ended(id), log: text };
}

/** The variables of a service that uses it. */
export const environment = {
  LAB_API_CLI: 'containerlab',
  PATH: [path.dirname(file), process.env['PATH']].join(':'),
  LAB_API_CANCEL_GRACE: '20s',
} as const;
