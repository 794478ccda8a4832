/** The labs that both servers are asked for, and what Docker and the list of processes say of them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tries } from '../lib/wait.mjs';

/** A deploy or a job that has not ended after that never ends. */
export const patienceSeconds = 120;
/** How long h2 is held back by containerlab itself, so that there is a middle of a deploy to act in. */
const delaySeconds = 5;

/**
 * Not in one go: connections that the servers have closed meanwhile must be known as closed when the next request comes.
 * @param {string} program @param {string[]} args
 * @returns {Promise<{ ok: boolean, lines: readonly string[] }>}
 */
async function run(program, ...args) {
  return new Promise((resolve) => {
    execFile(program, args, (error, stdout) => {
      resolve({ ok: error === null, lines: stdout.split('\n').filter((line) => line !== '') });
    });
  });
}

/** @type {Set<string>} */
const asked = new Set();

/**
 * The topology of a lab with two nodes; from now on, `destroyAll` removes a lab of this name.
 * @param {{ name: string, image: string, isBroken?: boolean }} lab broken: a link leads to a node that there is not
 */
export function topologyOf({ name, image, isBroken = false }) {
  asked.add(name);
  const node = { kind: 'linux', image, cmd: 'sleep infinity' };
  return {
    name,
    topology: {
      nodes: { h1: node, h2: { ...node, 'startup-delay': delaySeconds } },
      links: [{ endpoints: ['h1:eth1', isBroken ? 'nosuch:eth1' : 'h2:eth1'] }],
    },
  };
}

/** The containers of a lab, by default those that run. @param {string} name @param {string[]} more */
async function containersOf(name, ...more) {
  const filter = ['--format', '{{.Names}}', '--filter', `label=containerlab=${name}`];
  return (await run('docker', 'ps', ...more, ...filter)).lines;
}

/** The nodes of a lab that run, and whether they have a link. @param {string} name */
export async function running(name) {
  const nodes = await containersOf(name);
  const links = nodes.map(async (node) => run('docker', 'exec', node, 'ip', 'link', 'show', 'eth1'));
  const isLinked = nodes.length === 2 && (await Promise.all(links)).every(({ ok }) => ok);
  return `of 2 nodes, ${nodes.length} ${nodes.length === 1 ? 'runs' : 'run'}${isLinked ? ', linked' : ''}`;
}

/** Resolves between its two nodes: the first one runs, the second one is not there. @param {string} name */
export async function halfUp(name) {
  await tries('the lab is half up', async () => {
    const [first, second] = await containersOf(name);
    if (second !== undefined) throw new Error(`it is up already: ${second}`);
    return first !== undefined;
  });
}

/** Resolves when no containerlab works on the lab any more. @param {string} name */
export async function atRest(name) {
  const isAtWork = (/** @type {string} */ pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return /(^|\/)containerlab$/.test(words[0] ?? '') && words.some((word) => word.includes(name));
    } catch {
      return false;
    }
  };
  const isOver = async () => Promise.resolve(!readdirSync('/proc').some(isAtWork));
  await tries('no containerlab works on the lab any more', isOver, patienceSeconds);
}

/** The labs that may be there. */
export const labNames = () => [...asked];

/** Takes down all labs whose topology was asked for: half of them are what a server has left behind. */
export async function destroyAll() {
  for (const name of labNames()) {
    if ((await containersOf(name, '--all')).length > 0)
      await run('containerlab', 'destroy', '--name', name, '--cleanup');
    // When its topology file is gone, or it never came to be one.
    const left = await containersOf(name, '--all');
    if (left.length > 0) await run('docker', 'rm', '--force', ...left);
    asked.delete(name);
  }
}
