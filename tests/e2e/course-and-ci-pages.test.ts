/** What docs/courses.md and docs/ci.md show is what happens, on a lab of the bundled engine. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { runCommand, startProgram, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const missing =
  missingForAnyLabs() ??
  ['curl', 'jq', 'python3', 'cksum']
    .map((name) => requirement(name).missing)
    .find((why) => why !== undefined) ??
  // The course has the lab with no number, of which there is one on a machine.
  (existsSync('/run/lab-engine/default') ? 'somebody has a lab of the engine without a number' : undefined);
const { because, it } = testUnless(missing);

// Whatever a test that failed has left. Before the directory goes: hooks run in the order in which they are registered.
afterAll(async () => {
  if (because !== '') return;
  const { stdout } = await lab(place, ['status', '--all', '--format', 'json']);
  const left = Object.keys(JSON.parse(stdout) as object).filter((id) => id !== 'warning');
  for (const id of left) await lab(place, ['down', '--force', '--instance', id]);
  expect(left).toEqual([]);
});

const root = temporaryDirectory();
const place = { home: path.join(root, 'home'), directory: root };
let service: RunningProgram;

beforeAll(async () => {
  if (because !== '') return;
  service = await startProgram({ env: { LAB_API_CLI: 'engine', LAB_HOME: place.home } });
});
/** The blocks of a page in one language, in their order. */
function blocks(page: string, language: string): string[] {
  const text = readFileSync(path.join('docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
}

/** Runs a script to its end, as whoever reads the page would; gives its exit code and what it printed. */
async function runScript(script: string, cwd: string) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    LAB_API_URL: service.url,
    CI_RUN_ID: `t${process.pid}`,
  };
  const run = runCommand(['sh', '-c', script], env, cwd);
  const code = await run.exit;
  return { code, output: run.output() };
}

it(`the stages of a course${because}`, async () => {
  const course = path.join(root, 'course');
  mkdirSync(course);
  writeFileSync(path.join(course, 'topology.yml'), blocks('courses.md', 'yaml')[0] ?? '');
  const script = blocks('courses.md', 'sh')
    .join('\n')
    .replace('http://127.0.0.1:8090', service.url)
    .replace('/tmp/lab-api-course', course);
  const { code, output } = await runScript(`set -eu\n${script}`, root);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain('web: The web server on H2 answers');
  expect(output).toContain('passed ping: h1: Ping to h2');
  expect(output).toContain('failed web: Node h1: nothing answers on port 8000 of H2');
  expect(existsSync(course)).toBe(false);
});

it.each([
  ['passes', 'the lab works', 0],
  ['fails', 'no node has this address', 1],
])(
  `the pipeline of a lab that %s publishes its results and leaves no lab${because}`,
  async (what, _why, expected) => {
    const directory = path.join(root, what);
    mkdirSync(directory);
    const topology = blocks('ci.md', 'yaml')[0] ?? '';
    const text =
      what === 'fails' ? topology.replace("ping('h2')", "ping('172.16.77.77', count=1)") : topology;
    writeFileSync(path.join(directory, 'topology.yml'), text);
    const { code, output } = await runScript(
      (blocks('ci.md', 'sh')[0] ?? '').replace('run=${CI_RUN_ID:', `run=${what}-\${CI_RUN_ID:`),
      directory,
    );
    expect({ code, output }).toMatchObject({ code: expected });
    expect(readFileSync(path.join(directory, 'junit.xml'), 'utf8')).toContain(
      `<testsuites tests="1" failures="${expected}"`,
    );
    expect((await service.get('/labs')).json.labs).toEqual([]);
  },
);
