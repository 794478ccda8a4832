/** `scripts/milestone.mjs course`: the week of a teacher, whose students share a server with quotas. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { done, must, say } from '../lib/words.mjs';
import { ask, labsOf, run, success, userNamed, writeUsers } from './course/class.mjs';
import { keepStages, removeStages, restore, tryToTakeStages, work } from './course/stages.mjs';
import { atTheEnd, checkNoProcess, endOf, logIn, prepare, root, start } from './stage.mjs';

/** @typedef {import('./course/class.mjs').User} User */
/** @typedef {import('./course/stages.mjs').Solved} Solved */

/**
 * All of them start the exercise at once, and each twice. Those who have a lab, and those who are to come later.
 * @param {readonly User[]} students @param {number} room for so many labs
 */
async function begin(students, room) {
  const asked = students.flatMap((student) =>
    [`exercise-${student.name}`, `second-${student.name}`].map(async (workspace) => {
      const { status, json, id } = await restore(student, 'stage-1', { workspace });
      const isKnown = status === 202 || json.code === 'over-quota';
      must(isKnown, `${student.name} is refused for another reason: ${json.detail}`);
      if (id !== undefined) student.workspace = workspace;
      return { student, id };
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

/**
 * Runs the tests in the lab of each student. A line of a CSV file for each.
 * @param {User} teacher @param {readonly User[]} students @param {ReadonlyMap<string, Solved>} solved
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
      const { first, second } = solved.get(name) ?? {};
      const wanted = [first && 'first', 'ping', second && 'second'].filter(Boolean).join();
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

/** After a failure, there may be labs. @param {User} admin */
async function takeAllDown(admin) {
  for (const { workdir } of await labsOf(admin))
    await run(admin, { action: 'down', workdir, cleanup: true, force: true }).catch(() => undefined);
}

/** The ids of labs of the bundled engine that are not ours: one of them may have an id that ours had. */
function idsOfOthers() {
  const directory = '/run/lab-engine';
  const ids = existsSync(directory) ? readdirSync(directory) : [];
  return ids.filter((id) => {
    const claim = path.join(directory, id, 'claim.json');
    return existsSync(claim) && !readFileSync(claim, 'utf8').includes(`${root}/`);
  });
}

/** @param {User} admin @param {readonly string[]} ids of all labs that there were */
async function checkNothingIsLeft(admin, ids) {
  const labs = await labsOf(admin);
  must(labs.length === 0, `labs are left: ${labs.map(({ id }) => id).join(', ')}`);
  const others = idsOfOthers();
  const own = ids.filter((id) => !others.includes(id));
  const spaces = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  const left = spaces.filter((name) => own.some((id) => name.startsWith(`lab-${id}-`)));
  must(left.length === 0, `network namespaces are left: ${left.join(', ')}`);
  checkNoProcess();
}

/** @param {number} count of students */
export async function courseRound(count) {
  must(Number.isInteger(count) && count >= 4 && count <= 200, '--students must be a number from 4 to 200');
  const [admin, teacher, stranger, ...students] = [
    'ann',
    'tom',
    'eve',
    ...Array.from({ length: count }, (_, at) => `s${at + 1}`),
  ].map(userNamed);
  must(admin && teacher && stranger, 'there is no teacher');
  const room = Math.floor((count * 3) / 4);
  prepare({
    LAB_API_CLI: 'engine',
    LAB_HOME: path.join(root, 'engine'),
    LAB_API_USERS_FILE: writeUsers({ admin, teacher, stranger, students, together: room }),
    LAB_API_OWNERSHIP: 'strict',
    LAB_API_MAX_QUEUED_JOBS: String(4 * count),
  });
  await start();
  atTheEnd(async () => takeAllDown(admin));
  logIn(teacher.token);
  say(`  ${count} students may have one lab each, and all together ${room}`);

  await keepStages(teacher);
  const { having, later } = await begin(students, room);
  must((await labsOfClass(teacher)) === room, 'not all labs are counted');
  const ids = (await labsOf(teacher)).map(({ id }) => id);
  done(`all have asked twice at once: ${having.length} have a lab, ${later.length} have to wait`);
  await tryToTakeStages(students[0] ?? stranger, stranger);
  done(
    `${await tryToReachOthers(teacher, students)} attempts to reach something of another student were refused`,
  );

  const marks = await mark(teacher, having, await work(having));
  const leaving = having.slice(0, later.length);
  for (const student of leaving) await takeDown(student, [student]);
  const next = await begin(later, leaving.length);
  must(next.later.length === 0, 'some found no room that others have left');
  must((await labsOfClass(teacher)) === room, 'not all labs are counted');
  ids.push(...(await labsOf(teacher)).map(({ id }) => id));
  marks.push(...(await mark(teacher, later, await work(later))));
  done(`${leaving.length} have gone, and ${later.length} others have come`);
  say(['student,passed,tests', ...marks].join('\n'));

  await takeDown(teacher, [...having.slice(leaving.length), ...later]);
  must((await labsOfClass(teacher)) === 0, 'labs are counted that are gone');
  await removeStages(teacher);
  await checkNothingIsLeft(admin, ids);
  done('the teacher has marked all students and taken all labs down, and nothing is left');
}
