#!/usr/bin/env node
// Asks lab-api and clab-api-server the same, and prints what each does as a table: the server is killed in the middle of a
// deploy; the client goes away in the middle of one; two deploys of one lab at once; a topology is wrong; how fast is the list.
//   npm run build && scripts/compare-clab-api.mjs          our side alone; needs containerlab and Docker on this machine
//   scripts/compare-clab-api.mjs --clab-api-server FILE    both. Needs root: it makes a Linux user for the time of the run
//     --containerlab FILE   the containerlab that the other server was made for, when that is not the one on PATH
//     --image IMAGE         of the two nodes; default: python:3.13-alpine. It must be there already
//     --only QUESTION       one of killed, clientGone, twice, broken, list
//     --record              puts the table into docs/from-clab-api-server.md; needs both sides
// All labs are called cmp-…, and are taken down. clab-api-server listens on all addresses of the machine while this runs.
import { spawnSync } from 'node:child_process';
import { clabApiServer } from './compare-clab-api/clab-api-server.mjs';
import { labApi } from './compare-clab-api/lab-api.mjs';
import { atRest, destroyAll, labNames } from './compare-clab-api/labs.mjs';
import { questions } from './compare-clab-api/sides.mjs';
import { interrupted, messageOf, must, say } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { record } from './lib/recorded-part.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const options = readOptions({
  'clab-api-server': { type: 'string' },
  containerlab: { type: 'string' },
  image: { type: 'string', default: 'python:3.13-alpine' },
  only: { type: 'string' },
  record: { type: 'boolean', default: false },
});
const file = options['clab-api-server'];
const { containerlab, image, only } = options;
const temporary = temporaryDirectory('lab-api-compare');

/** @typedef {import('./compare-clab-api/sides.mjs').Side} Side */
/** @typedef {keyof typeof questions} Question */

const chosen = /** @type {Question[]} */ (Object.keys(questions)).filter(
  (question) => only === undefined || only === question,
);
/** @type {(Side | undefined)[]} */
const sides = [];

/** Checks the options and the machine before anything starts. */
function checkMachine() {
  must(chosen.length > 0, `there is no question ${only}`);
  must(
    !options.record || (file !== undefined && only === undefined),
    '--record needs both sides and all questions',
  );
  for (const [program, ...words] of [
    ['containerlab', 'version'],
    ['docker', 'version'],
    ['docker', 'image', 'inspect', image],
  ])
    must(spawnSync(program ?? '', words).status === 0, `"${program} ${words.join(' ')}" does not work here`);
}

/** A row: the question, and what each side answers. @param {Question} question */
async function row(question) {
  const cells = [questions[question]];
  for (const side of sides) {
    const lab = { name: `cmp-${side?.word}-${question.toLowerCase()}-${process.pid}`, image };
    cells.push(side === undefined ? 'not given' : await side.answer(question, lab));
    await destroyAll();
  }
  return `| ${cells.join(' | ')} |`;
}

async function compare() {
  checkMachine();
  sides.push(labApi(temporary));
  sides.push(file === undefined ? undefined : clabApiServer({ file, containerlab, directory: temporary }));
  const heads = [];
  for (const side of sides) heads.push((await side?.start()) ?? 'clab-api-server');
  const table = [`|  | ${heads.join(' | ')} |`, `| --- | ${heads.map(() => '---').join(' | ')} |`];
  for (const line of table) say(line);
  for (const question of chosen) {
    table.push(await row(question));
    say(table.at(-1) ?? '');
  }
  if (options.record)
    await record('from-clab-api-server.md', 'scripts/compare-clab-api.mjs', table.join('\n'));
}

try {
  await Promise.race([compare(), interrupted()]);
} catch (error) {
  process.stderr.write(`compare-clab-api: ${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  for (const side of sides) await side?.end();
  for (const name of labNames()) await atRest(name).catch(() => undefined);
  await destroyAll();
}
process.exit();
