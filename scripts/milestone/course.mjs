/** `scripts/milestone.mjs course`: the week of a teacher, whose students share a server with quotas. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { endOf as endOfJob } from '../lib/http.mjs';
import { done, must, say } from '../lib/words.mjs';
import { checkNoProcess, endOf, logIn, prepare, root, start, url } from './stage.mjs';

/** `workspace` is that of the lab. @typedef {{ name: string, token: string, workspace?: string }} User */
/** @typedef {{ id: string, workdir: string, workspace: string, owner: string }} Lab */

/** The exercise: H2 needs an address. */
const topology = `
nodes: [h1, h2]
links: [h1-h2]
defaults.device: linux
validate:
  ping:
    description: H1 reaches H2
    nodes: [h1]
    plugin: ping('h2')
  address:
    description: H2 has the address 10.9.9.9
    nodes: [h2]
    devices: [linux]
    exec: ip -4 address show dev lo
    valid: "'10.9.9.9' in stdout"
`;

/** @param {string} name @param {number} at @returns {User} */
function userNamed(name, at) {
  const id = at.toString(16).padStart(8, '0');
  return { name, token: `tok_${id}_${randomBytes(32).toString('base64url')}` };
}

/**
 * The users file of a class that tom leads.
 * @param {{ admin: User, teacher: User, students: readonly User[], together: number }} class
 */
function writeUsers({ admin, teacher, students, together }) {
  const entry = (/** @type {User} */ { name, token }, /** @type {string} */ role) => ({
    name,
    role,
    // Only their own workspaces.
    ...(role === 'operator' && { workdirs: [] }),
    tokens: [{ id: token.slice(0, 12), sha256: createHash('sha256').update(token).digest('hex') }],
  });
  const users = [entry(admin, 'admin'), ...[teacher, ...students].map((user) => entry(user, 'operator'))];
  const each = { labs: 1, nodes: 2, jobs: 2, workspaces: '1MiB', lease: '8h' };
  const quotas = { each, together: { labs: together } };
  const members = students.map(({ name }) => name);
  const groups = [{ name: 'class', members, leaders: [teacher.name], quotas }];
  const access = path.join(root, 'access');
  mkdirSync(access, { mode: 0o700 });
  const file = path.join(access, 'users.yaml');
  writeFileSync(file, JSON.stringify({ users, groups }), { mode: 0o600 });
  return file;
}

/** @param {User} user @param {string} method @param {string} target @param {unknown} [body] */
async function ask({ token }, method, target, body) {
  const reply = await fetch(`${url()}${target}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = /json/.test(reply.headers.get('content-type') ?? '');
  return { status: reply.status, json: isJson ? JSON.parse(text) : {} };
}

/** The record of a job once it has ended well. @param {User} user @param {string} id */
async function success({ name, token }, id) {
  const job = await endOfJob(url(), id, { Authorization: `Bearer ${token}` });
  must(job.state === 'success', `${job.action} of ${name} is ${job.state}: ${job.error}`);
  return job;
}

/** @param {User} user @param {{ action: string } & Record<string, unknown>} body */
async function run(user, body) {
  const { status, json } = await ask(user, 'POST', '/jobs', body);
  must(status === 202, `${body.action} of ${user.name} is refused: ${json.detail}`);
  return success(user, json.id);
}

const startOf = (/** @type {User} */ { name }) => ({
  action: 'up',
  workspace: `exercise-${name}`,
  topology,
  multilabId: 'auto',
});

/**
 * All of them at once, and each twice. Those who have a lab, and those who are to come later.
 * @param {readonly User[]} students @param {number} room for so many labs
 */
async function begin(students, room) {
  const asked = students.flatMap((student) =>
    [startOf(student), { ...startOf(student), workspace: `second-${student.name}` }].map(async (body) => {
      const { status, json } = await ask(student, 'POST', '/jobs', body);
      const isKnown = status === 202 || json.code === 'over-quota';
      must(isKnown, `${student.name} is refused for another reason: ${json.detail}`);
      if (status === 202) student.workspace = body.workspace;
      return { student, id: status === 202 ? /** @type {string} */ (json.id) : undefined };
    }),
  );
  const accepted = (await Promise.all(asked)).filter(({ id }) => id !== undefined);
  const having = new Set(accepted.map(({ student }) => student));
  must(having.size === accepted.length, 'a student has got two labs');
  const most = Math.min(room, students.length);
  must(accepted.length === most, `${accepted.length} starts were accepted, and there is room for ${most}`);
  for (const { student, id } of accepted) await success(student, id ?? '');
  return { having: [...having], later: students.filter((student) => !having.has(student)) };
}

/** @param {User} user @returns {Promise<Lab[]>} */
const labsOf = async (user) => (await ask(user, 'GET', '/labs')).json.labs;

/** No student reaches anything of another one. @param {User} teacher @param {readonly User[]} students */
async function tryToReachOthers(teacher, students) {
  const labs = await labsOf(teacher);
  let tried = 0;
  for (const [at, lab] of labs.entries()) {
    const stranger = students.find(({ name }, index) => name !== lab.owner && index >= at % students.length);
    must(stranger, 'there is one student alone');
    const body = { command: ['true'] };
    const [job] = (await ask(teacher, 'GET', `/jobs?requestedBy=${lab.owner}&limit=1`)).json.jobs;
    const attempts = [
      ['GET', `/labs/${lab.id}`],
      ['GET', `/labs/${lab.id}/topology`],
      ['GET', `/labs/${lab.id}/nodes/h1/log`],
      ['POST', `/labs/${lab.id}/nodes/h1/exec`, body],
      ['POST', `/labs/${lab.id}/exec`, { nodes: ['all'], ...body }],
      ['PUT', `/labs/${lab.id}/owner`, { owner: stranger.name }],
      ['PUT', `/labs/${lab.id}/shares`, { shares: [{ kind: 'user', name: stranger.name, as: 'operator' }] }],
      ['PATCH', `/labs/${lab.id}`, { ttlSeconds: 60 }],
      ['GET', `/workspaces/${lab.workspace}`],
      ['GET', `/workspaces/${lab.workspace}/archive`],
      ['DELETE', `/workspaces/${lab.workspace}`],
      ['GET', `/jobs/${job.id}`],
      ['GET', `/jobs/${job.id}/log`],
      ['POST', `/jobs/${job.id}/retry`, {}],
      ['POST', '/jobs', { action: 'down', workspace: lab.workspace }],
      ['POST', '/jobs', { action: 'down', workdir: lab.workdir }],
      ['POST', '/jobs', { action: 'down', instance: lab.id }],
      ['POST', '/jobs', { action: 'validate', workspace: lab.workspace }],
    ];
    for (const [method = '', target = '', given] of /** @type {[string, string, unknown?][]} */ (attempts)) {
      const { status, json } = await ask(stranger, method, target, given);
      must(
        status === 403 || status === 404,
        `${stranger.name} gets ${status} for ${method} ${target} of ${lab.owner}: ${JSON.stringify(json)}`,
      );
      tried += 1;
    }
    const seen = await labsOf(stranger);
    must(
      seen.every(({ owner }) => owner === stranger.name),
      `${stranger.name} sees labs of others`,
    );
  }
  return tried;
}

/** How many labs the class has. @param {User} teacher */
async function labsOfClass(teacher) {
  const { quotas } = (await ask(teacher, 'GET', '/quotas?user=s1')).json;
  /** @type {{ kind: string, resource: string, used: number }[]} */
  const all = quotas;
  return all.find(({ kind, resource }) => kind === 'group' && resource === 'labs')?.used;
}

/** Every second one of them. @param {User} teacher @param {readonly User[]} students @returns {Promise<ReadonlySet<string>>} */
async function solve(teacher, students) {
  const labs = await labsOf(teacher);
  const solving = students.filter((_, at) => at % 2 === 0);
  await Promise.all(
    solving.map(async (student) => {
      const lab = labs.find(({ owner }) => owner === student.name);
      must(lab, `${student.name} has no lab`);
      const command = ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'];
      const { json } = await ask(student, 'POST', `/labs/${lab.id}/nodes/h2/exec`, { command });
      must(json.exitCode === 0, `${student.name} cannot solve the exercise: ${JSON.stringify(json)}`);
    }),
  );
  return new Set(solving.map(({ name }) => name));
}

/**
 * Runs the tests in the lab of each student. A line of a CSV file for each.
 * @param {User} teacher @param {readonly User[]} students @param {ReadonlySet<string>} solved
 */
async function mark(teacher, students, solved) {
  return Promise.all(
    students.map(async ({ name, workspace }) => {
      const body = { action: 'validate', workspace };
      const { status, json } = await ask(teacher, 'POST', '/jobs', body);
      must(status === 202, `the tests of ${name} are refused: ${json.detail}`);
      const { result } = await endOf(json.id);
      const tests = /** @type {{ name: string, outcome: string }[]} */ (result.tests);
      const passed = tests.filter(({ outcome }) => outcome === 'passed').map((test) => test.name);
      const wanted = solved.has(name) ? 'address,ping' : 'ping';
      must(passed.toSorted().join() === wanted, `${name} has passed: ${passed.join()}`);
      return `${name},${passed.length},${tests.length}`;
    }),
  );
}

/** @param {User} user @param {readonly User[]} students */
async function takeDown(user, students) {
  await Promise.all(
    students.map(async ({ workspace }) => run(user, { action: 'down', workspace, cleanup: true })),
  );
}

/** @param {User} admin @param {readonly string[]} ids of all labs that there were */
async function checkNothingIsLeft(admin, ids) {
  const labs = await labsOf(admin);
  must(labs.length === 0, `labs are left: ${labs.map(({ id }) => id).join(', ')}`);
  const spaces = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  const left = spaces.filter((name) => ids.some((id) => name.startsWith(`lab-${id}-`)));
  must(left.length === 0, `network namespaces are left: ${left.join(', ')}`);
  checkNoProcess();
}

/** @param {number} count of students */
export async function courseRound(count) {
  must(Number.isInteger(count) && count >= 4 && count <= 200, '--students must be a number from 4 to 200');
  const [admin, teacher, ...students] = [
    'ann',
    'tom',
    ...Array.from({ length: count }, (_, at) => `s${at + 1}`),
  ].map(userNamed);
  must(admin && teacher, 'there is no teacher');
  const room = Math.floor((count * 3) / 4);
  prepare({
    LAB_API_CLI: 'engine',
    LAB_HOME: path.join(root, 'engine'),
    LAB_API_USERS_FILE: writeUsers({ admin, teacher, students, together: room }),
    LAB_API_OWNERSHIP: 'strict',
    LAB_API_MAX_QUEUED_JOBS: String(4 * count),
  });
  await start();
  logIn(teacher.token);
  say(`  ${count} students may have one lab each, and all together ${room}`);

  const { having, later } = await begin(students, room);
  must((await labsOfClass(teacher)) === room, 'not all labs are counted');
  const ids = (await labsOf(teacher)).map(({ id }) => id);
  done(`all have asked twice at once: ${having.length} have a lab, ${later.length} have to wait`);
  done(
    `${await tryToReachOthers(teacher, students)} attempts to reach something of another student were refused`,
  );

  const marks = await mark(teacher, having, await solve(teacher, having));
  const leaving = having.slice(0, later.length);
  for (const student of leaving) await takeDown(student, [student]);
  const next = await begin(later, leaving.length);
  must(next.later.length === 0, 'some found no room that others have left');
  must((await labsOfClass(teacher)) === room, 'not all labs are counted');
  ids.push(...(await labsOf(teacher)).map(({ id }) => id));
  marks.push(...(await mark(teacher, later, await solve(teacher, later))));
  done(`${leaving.length} have gone, and ${later.length} others have come`);
  say(['student,passed,tests', ...marks].join('\n'));

  await takeDown(teacher, [...having.slice(leaving.length), ...later]);
  must((await labsOfClass(teacher)) === 0, 'labs are counted that are gone');
  await checkNothingIsLeft(admin, ids);
  done('the teacher has marked all students and taken all labs down, and nothing is left');
}
