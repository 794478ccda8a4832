import { readFileSync } from 'node:fs';
import http, { type Server } from 'node:http';
import path from 'node:path';

const directory = path.resolve(__dirname, '../fixtures/containerlab');

/** What containerlab 0.79 printed, or left in a file (tests/fixtures/containerlab). */
export function recorded(name: string): string {
  return readFileSync(path.join(directory, name), 'utf8');
}

/** A container as `inspect --details --format json` tells it. */
export function container(
  name: string,
  workdir: string,
  lab: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  return {
    Names: [`clab-${lab}-${name}`],
    Image: 'python:3.13-alpine',
    State: 'running',
    Status: 'Up 4 seconds',
    Labels: {
      containerlab: lab,
      'clab-node-name': name,
      'clab-node-longname': `clab-${lab}-${name}`,
      'clab-node-kind': 'linux',
      'clab-node-lab-dir': path.join(workdir, `clab-${lab}`, name),
      'clab-topo-file': path.join(workdir, `${lab}.clab.yml`),
    },
    ...more,
  };
}

/** Docker as far as it answers: with it, containerlab can start labs. */
export const dockerAt = (socket: string): Server =>
  http
    .createServer((_req, res) => res.end('OK'))
    .listen(socket)
    .unref();
