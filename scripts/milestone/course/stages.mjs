/** The stages of an exercise: snapshots that the teacher keeps and shares with the class. */
import { done, must } from '../../lib/words.mjs';
import { ask, labsOf, run, success } from './class.mjs';

/** @typedef {import('./class.mjs').User} User */
/** @typedef {{ first: boolean, second: boolean }} Solved the halves of the exercise */

const addresses = { first: '10.8.8.8', second: '10.9.9.9' };

/** @param {keyof typeof addresses} half */
const testOf = (half) => `
  ${half}:
    description: H2 has the address ${addresses[half]}
    nodes: [h2]
    devices: [linux]
    exec: ip -4 address show dev lo
    valid: "'${addresses[half]}' in stdout"`;

/** The exercise: H2 needs two addresses. @param {string} [ofH2] the part that is solved */
const topology = (ofH2 = '') => `
nodes: { h1: {}, h2: {${ofH2}} }
links: [h1-h2]
defaults.device: linux
validate:
  ping:
    description: H1 reaches H2
    nodes: [h1]
    plugin: ping('172.16.0.2')${testOf('first')}${testOf('second')}
`;

/** The bundled engine takes no configurations back: what a stage begins with is in its topology. */
const stages = {
  'stage-1': topology(),
  'stage-2': topology(` loopback: { ipv4: ${addresses.first}/32 } `),
};

/** Keeps the stages, and shares them with the class. @param {User} teacher */
export async function keepStages(teacher) {
  const workspace = 'stages';
  for (const [name, text] of Object.entries(stages)) {
    await run(teacher, { action: 'up', workspace, topology: text, multilabId: 'auto' });
    const [lab] = await labsOf(teacher);
    const kept = await ask(teacher, 'POST', `/labs/${lab?.id}/snapshots`, { name });
    must(kept.status === 201 && kept.json.complete, `${name} is not kept: ${JSON.stringify(kept.json)}`);
    const shares = [{ kind: 'group', name: 'class', as: 'viewer' }];
    const { status } = await ask(teacher, 'PUT', `/snapshots/${name}/shares`, { shares });
    must(status === 200, `${name} is not shared: ${status}`);
    await run(teacher, { action: 'down', workspace, cleanup: true });
  }
  must((await ask(teacher, 'DELETE', `/workspaces/${workspace}`)).status === 204, 'the workspace stays');
  done(`the teacher keeps ${Object.keys(stages).join(' and ')} as snapshots, shared with the class`);
}

/**
 * Asks for a lab of a stage. The status, and the id of the job if there is one.
 * @param {User} student @param {keyof typeof stages} stage @param {Record<string, unknown>} body
 */
export async function restore(student, stage, body) {
  const wanted = { multilabId: 'auto', ...body };
  const { status, json } = await ask(student, 'POST', `/snapshots/${stage}/restore`, wanted);
  return { status, json, id: status === 202 ? /** @type {string} */ (json.labs[0].jobs[0].id) : undefined };
}

/** The nodes that are not as in a stage. @param {User} student @param {keyof typeof stages} [stage] default: the last one */
async function changedSince(student, stage) {
  const [lab] = await labsOf(student);
  const query = stage === undefined ? '' : `?snapshot=${stage}`;
  const { status, json } = await ask(student, 'GET', `/labs/${lab?.id}/diff${query}`);
  must(status === 200, `${student.name} cannot compare: ${JSON.stringify(json)}`);
  const changed = /** @type {{ node: string, change: string }[]} */ (json.nodes);
  return { from: json.before.snapshot, nodes: changed.filter(({ change }) => change !== 'same') };
}

/** @param {User} student @param {keyof typeof addresses} half */
async function solve(student, half) {
  const [lab] = await labsOf(student);
  must(lab, `${student.name} has no lab`);
  const command = ['ip', 'address', 'add', `${addresses[half]}/32`, 'dev', 'lo'];
  const { json } = await ask(student, 'POST', `/labs/${lab.id}/nodes/h2/exec`, { command });
  must(json.exitCode === 0, `${student.name} cannot solve the ${half} half: ${JSON.stringify(json)}`);
}

/** A student who is lost takes the lab down and starts it again from a stage. @param {User} student */
async function goBack(student) {
  const { workspace } = student;
  await run(student, { action: 'down', workspace, cleanup: true });
  const { id, json } = await restore(student, 'stage-2', { workspace, replace: true });
  must(id, `${student.name} cannot go back: ${json.detail}`);
  await success(student, id);
  const { from, nodes } = await changedSince(student);
  must(from === 'stage-2' && nodes.length === 0, `the lab of ${student.name} is not stage-2`);
}

/**
 * Every second student solves the exercise, half of the others go back to a stage, and the rest does nothing.
 * @param {readonly User[]} students @returns {Promise<ReadonlyMap<string, Solved>>}
 */
export async function work(students) {
  const all = await Promise.all(
    students.map(async (student, at) => {
      const isLost = at % 4 === 1;
      if (isLost) await goBack(student);
      const isSolved = at % 2 === 0;
      if (isSolved) for (const half of /** @type {const} */ (['first', 'second'])) await solve(student, half);
      const { nodes } = await changedSince(student, 'stage-1');
      const names = nodes.map(({ node }) => node).join();
      must(names === (isLost || isSolved ? 'h2' : ''), `${student.name} has changed "${names}"`);
      return /** @type {const} */ ([student.name, { first: isLost || isSolved, second: isSolved }]);
    }),
  );
  return new Map(all);
}

/** The stages are there for the class alone, and only the teacher changes them. @param {User} student @param {User} stranger */
export async function tryToTakeStages(student, stranger) {
  const shares = { shares: [] };
  for (const name of Object.keys(stages)) {
    const at = `/snapshots/${name}`;
    const attempts = /** @type {const} */ ([
      [student, 403, 'DELETE', at],
      [student, 403, 'PUT', `${at}/shares`, shares],
      [stranger, 404, 'GET', at],
      [stranger, 404, 'GET', `${at}/files`],
      [stranger, 404, 'GET', `${at}/diff?with=${name}`],
      [stranger, 404, 'POST', `${at}/restore`, { workspace: 'stolen' }],
      [stranger, 404, 'PUT', `${at}/shares`, shares],
      [stranger, 404, 'DELETE', at],
    ]);
    for (const [user, expected, method, target, body] of attempts) {
      const { status } = await ask(user, method, target, body);
      must(status === expected, `${user.name} gets ${status} for ${method} ${target}`);
    }
  }
}

/** @param {User} teacher */
export async function removeStages(teacher) {
  for (const name of Object.keys(stages)) {
    const { status } = await ask(teacher, 'DELETE', `/snapshots/${name}`);
    must(status === 204, `${name} is not removed: ${status}`);
  }
  const { snapshots } = (await ask(teacher, 'GET', '/snapshots')).json;
  must(snapshots.length === 0, 'snapshots are left');
}
