/** What docs/courses.md and docs/ci.md show is what happens, on a lab of the bundled engine. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { ringTopology } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { builtProgram, runCommand, startProgram, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { blocksOf, inBackground, missingForTyping, typableOf, typeInto } from '../support/typed-page.ts';

const missing =
  missingForAnyLabs() ??
  ['curl', 'jq', 'cksum'].map((name) => requirement(name).missing).find((why) => why !== undefined);
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

const weekMissing = missing ?? missingForTyping('jq', 'seq');
const classroom = temporaryDirectory();
const week = testUnless(weekMissing);
week.it(
  `the week of a teacher, as docs/courses.md has it${week.because}`,
  () => {
    const typed = typableOf(blocksOf('docs/courses.md')).map(({ commands }, at) => {
      const isService = /\blab api\b/.test(commands);
      return `echo "== ${at + 1}"\n${isService ? inBackground(commands) : commands}`;
    });
    const { stdout, stderr } = typeInto(classroom, [...typed, 'echo "== the end"'].join('\n'));
    expect(`${stdout}${stderr}`).toContain('== the end');
    expect(stdout).toContain('student,passed,tests\n"sue",2,2\n"sam",1,2\n"kim",0,2\n');
    expect(stdout).toMatch(/^\+.*10\.8\.8\.8/m);
    expect(stderr).toContain('nothing differs between stage-2 and now');
    expect(stdout).toMatch(/^stage-2 is removed\n0\n== the end$/m);
  },
  180_000,
);

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

interface Step {
  readonly commands: string;
  /** As the runner calls its shell. */
  readonly flags: string;
  readonly always: boolean;
}

interface Workflow {
  readonly jobs: { resilience: { steps: { run?: string; shell?: 'bash'; if?: string }[] } };
}

interface GitlabJobs {
  readonly resilience: Record<'before_script' | 'script' | 'after_script', string[]>;
}

/** The commands of a pipeline that breaks links. */
const pipelines = {
  github: (text: string): Step[] =>
    (parse(text) as Workflow).jobs.resilience.steps.flatMap(({ run, shell, if: when }) => {
      const flags = shell === 'bash' ? '-eo pipefail' : '-e';
      return run === undefined ? [] : [{ commands: run, flags, always: when === 'always()' }];
    }),
  gitlab: (text: string): Step[] => {
    const job = (parse(text) as GitlabJobs).resilience;
    const step = (always: boolean) => (commands: string) => ({ commands, flags: '-eo pipefail', always });
    return [...[...job.before_script, ...job.script].map(step(false)), ...job.after_script.map(step(true))];
  },
};

const withPing = testUnless(missing ?? requirement('fping').missing);
const sentence =
  /r1-r2 down: h1 → h2 IPv4 was still without traffic when the fault was healed after [\d.]+ s/;

withPing.it.each([
  { name: 'github', link: 'r1-r2', fails: true },
  { name: 'github', link: 'r2-r3', fails: false },
  { name: 'gitlab', link: 'r1-r2', fails: true },
  { name: 'gitlab', link: 'r2-r3', fails: false },
] as const)(
  `examples/pipelines/$name.yml: a break of $link fails the pipeline: $fails${withPing.because}`,
  async ({ name, link, fails }) => {
    const directory = path.join(root, `${name}-${link}`);
    const inside = (...names: string[]): string => path.join(directory, ...names);
    for (const made of ['network', 'bin']) mkdirSync(inside(made), { recursive: true });
    symlinkSync(builtProgram, inside('bin', 'lab'));
    writeFileSync(inside('network', 'topology.yml'), ringTopology);
    writeFileSync(
      inside('network', 'scenario.yml'),
      `flows: [{from: h1, to: h2}]\nfaults: [{link: ${link}}]\nsteady: {for: 300ms}\nhold: 1s\n`,
    );
    const text = readFileSync(`examples/pipelines/${name}.yml`, 'utf8');
    const [install, ...steps] = pipelines[name](text);
    // The package is installed by tests/e2e/package.test.ts.
    expect(install?.commands).toBe('npm install --global ./lab-api-*.tgz');
    let hasFailed = false;
    let output = '';
    for (const { commands, flags, always } of steps) {
      if (hasFailed && !always) continue;
      const env = {
        PATH: `${inside('bin')}:${process.env['PATH']}`,
        LAB_API_URL: service.url,
        WORKSPACE: `${name}-${link}`,
        GITHUB_STEP_SUMMARY: inside('summary.md'),
      };
      const run = runCommand(['bash', ...flags.split(' '), '-c', commands], env, directory);
      const code = await run.exit;
      output += run.output();
      expect({ commands, code, output }).toMatchObject({
        code: fails && commands.includes('start scenario') ? 1 : 0,
      });
      hasFailed ||= code !== 0;
    }
    expect(hasFailed).toBe(fails);
    expect(sentence.test(output)).toBe(fails);
    expect(readdirSync(inside('results')).toSorted()).toEqual([
      'junit.xml',
      'matrix.svg',
      'scenario.json',
      'timeline.svg',
    ]);
    expect(readFileSync(inside('results', 'junit.xml'), 'utf8')).toContain(`failures="${Number(fails)}"`);
    if (name === 'github')
      expect(readFileSync(inside('summary.md'), 'utf8')).toMatch(fails ? sentence : /^- PASS r2-r3 down/);
    expect((await service.get('/labs')).json.labs).toEqual([]);
  },
);
