// The labs of a run, and the jobs that clients ask for in them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { some } from '../../lib/random.mjs';
import { execFileSync } from 'node:child_process';

/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {{ name: string, nodes: readonly string[] }} Lab `name` is also that of its workspace and of its network. */

const image = 'python:3.13-alpine';

/** @param {number} count @returns {readonly Lab[]} */
export function makeLabs(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `cd-${process.pid}-${index}`,
    nodes: ['n1', 'n2', 'n3'].slice(0, 2 + (index % 2)),
  }));
}

/** With a network of its own, so that one that is left is known as that of this lab. @param {Lab} lab */
export function topologyOf({ name, nodes }) {
  const links = nodes
    .slice(1)
    .map((node, index) => `    - endpoints: ["${nodes[index]}:eth2", "${node}:eth1"]`);
  return [
    `name: ${name}`,
    `mgmt: { network: ${name}, ipv4-subnet: auto }`,
    'topology:',
    `  defaults: { kind: linux, image: "${image}", cmd: sleep infinity, binds: ["marks:/marks"] }`,
    `  nodes: { ${nodes.map((node) => `${node}: {}`).join(', ')} }`,
    '  links:',
    ...links,
    '',
  ].join('\n');
}

/**
 * The real containerlab, which notes the jobs that start it, and when another one is in their workspace. It is called as the
 * real one is, so that the service takes it for that.
 * @param {string} directory @param {string} state @param {string} real
 */
export function makeProgram(directory, state, real) {
  const file = path.join(directory, 'containerlab');
  const script = [
    '#!/bin/sh',
    'if [ -n "$LAB_JOB_ID" ]; then',
    `  echo "$LAB_JOB_ID" >>'${state}/starts'`,
    '  exec 9>"$PWD/.busy"',
    `  flock -n 9 || echo "$LAB_JOB_ID" >>'${state}/overlaps'`,
    'fi',
    `exec '${real}' "$@"`,
    '',
  ];
  writeFileSync(file, script.join('\n'), { mode: 0o755 });
  return file;
}

/** Each run of it adds a line to the file of its label and its node. @param {string} label */
const markWith = (label) => ['sh', '-c', `echo ran >>"/marks/${label}-$(hostname)"; sleep 0.3`];

/** @typedef {{ onCancel: 'down' | undefined, lab: string, mark: string | undefined }} Task */

/**
 * The jobs of clients: labs start and stop, and the service removes some of the labs that started half-way.
 * @param {readonly Lab[]} labs
 */
export function jobMaker(labs) {
  let marks = 0;
  /** @param {Random} random @returns {{ task: Task, body: Record<string, unknown> }} */
  return (random) => {
    const { name, nodes } = some(random, labs);
    const action = some(random, ['up', 'up', 'up', 'restart', 'down', 'down', 'exec']);
    const onCancel = action === 'up' && random() < 0.4 ? /** @type {const} */ ('down') : undefined;
    const mark = action === 'exec' ? `m${(marks += 1)}` : undefined;
    const task = { onCancel, lab: name, mark };
    const body = {
      action,
      workspace: name,
      ...(onCancel === undefined ? {} : { onCancel }),
      ...(action === 'up' && random() < 0.3 ? { reconfigure: true } : {}),
      ...(action === 'up' && random() < 0.3 ? { quiet: true } : {}),
      ...(action === 'down' && random() < 0.5 ? { cleanup: true } : {}),
      ...(mark === undefined
        ? {}
        : { nodes: random() < 0.5 ? ['*'] : [some(random, nodes)], command: markWith(mark) }),
    };
    return { task, body };
  };
}

/** @param {readonly string[]} words */
const docker = (...words) =>
  execFileSync('docker', words, { encoding: 'utf8', timeout: 60_000 }).split('\n').filter(Boolean);

/**
 * @typedef {object} Left
 * @property {readonly { name: string, state: string }[]} containers
 * @property {boolean} network
 */

/** The containers and the network of a lab now. @param {string} lab @returns {Left} */
export function leftOf(lab) {
  const format = '{{.Names}}\t{{.State}}';
  const rows = docker('ps', '--all', '--filter', `label=containerlab=${lab}`, '--format', format);
  const containers = rows.map((row) => {
    const [name = '', state = ''] = row.split('\t');
    return { name, state };
  });
  const networks = docker('network', 'ls', '--filter', `name=^${lab}$`, '--format', '{{.Name}}');
  return { containers, network: networks.length > 0 };
}

/** Removes what the service has left. @param {string} lab */
export function removeRest(lab) {
  const { containers, network } = leftOf(lab);
  if (containers.length > 0) docker('rm', '--force', '--volumes', ...containers.map(({ name }) => name));
  if (network) docker('network', 'rm', lab);
}
