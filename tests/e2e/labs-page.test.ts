/**
 * Every `sh` block of docs/labs.md works, typed in the order of the page into one shell, against the built service with the
 * bundled engine. To add one, write it into the page: nothing else. A block that needs what not every machine has names it behind
 * `sh`, and is left out where it is not there:
 *
 *     ```sh needs=jq,tcpdump        programs on PATH
 *     ```sh needs=netlab            it is not typed here at all: the engine is what runs the labs
 *
 * A reply of 400 or more fails the test, and so does any command that fails.
 */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { missingForAnyLabs } from '../support/engine-cli.ts';
import { requirement } from '../support/requirements.ts';
import { missingForSandbox, sandboxed } from '../support/sandbox.ts';
import { builtProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Block {
  readonly title: string;
  readonly commands: string;
  readonly needs: readonly string[];
}

const repository = path.resolve(__dirname, '../..');
const missing =
  missingForAnyLabs() ?? requirement('bash').missing ?? requirement('curl').missing ?? missingForSandbox();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;
const directory = temporaryDirectory();

function blocksOf(page: string): Block[] {
  let heading = '';
  const parts = page.matchAll(/^#{1,3} ([^\n]+)$|^```sh(?: needs=(\S+))?\n(.*?)^```/gms);
  return [...parts].flatMap(([, title, needs = '', commands]) => {
    heading = title ?? heading;
    if (commands === undefined) return [];
    // Many blocks filter replies with it.
    const tools = /\bjq\b/.test(commands) ? ['jq'] : [];
    return [{ title: heading, commands, needs: [...needs.split(',').filter(Boolean), ...tools] }];
  });
}

function lackOf({ needs }: Block): string | undefined {
  const lacks = needs.map((name) =>
    name === 'netlab' ? 'the engine runs the labs' : requirement(name).missing,
  );
  return lacks.find((lack) => lack !== undefined);
}

const typed = blocksOf(readFileSync(path.join(repository, 'docs', 'labs.md'), 'utf8'));
const run = typed.filter((block) => lackOf(block) === undefined);
const left = typed.filter((block) => lackOf(block) !== undefined);

/** On a line of its own: not every reply ends with one. */
const say = (what: string): string => `printf '\\n== %s\\n' "${what}"`;
/** A reply that is a refusal fails, as the page promises that all of it works. */
const strictCurl = 'curl() { command curl --fail-with-body "$@"; }';
const startService = `lab api >service.log 2>&1 &
command curl -sS -o healthz --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8090/healthz 2>retries`;
const takeDown = `for lab in $(curl -sS $LAB/labs | grep -oE '"id":"[^"]*","name"' | cut -d'"' -f4); do
  job=$(curl -sS $LAB/jobs -d "{\\"action\\": \\"down\\", \\"instance\\": \\"$lab\\"}" | grep -oE '"id":"[^"]*' | head -n1 | cut -d'"' -f4)
  curl -sS -o end "$LAB/jobs/$job?wait=60"
done
curl -sS -H 'Cache-Control: no-cache' $LAB/labs >labs-at-the-end`;

/** The end of what was printed, and what the service said of it. */
function why(output: string): string {
  const log = readFileSync(path.join(directory, 'service.log'), 'utf8').split('\n').slice(-15);
  return [output.slice(-6_000), 'the log of the service:', ...log].join('\n');
}

it(`${run.length} blocks of docs/labs.md work, in their order${because}`, () => {
  for (const name of ['examples', 'docs'])
    cpSync(path.join(repository, name), path.join(directory, name), { recursive: true });
  mkdirSync(path.join(directory, 'bin'));
  symlinkSync(builtProgram, path.join(directory, 'bin', 'lab'));
  const steps = run.map(({ title, commands }, index) => `${say(`${index + 1}: ${title}`)}\n${commands}`);
  const script = [startService, strictCurl, ...steps, say('the end'), takeDown].join('\n');
  const [file, ...args] = sandboxed('bash', '--norc', '-euo', 'pipefail', '-c', script);
  const env = {
    PATH: `${path.join(directory, 'bin')}:${process.env['PATH']}`,
    HOME: path.join(directory, 'home'),
    LAB_API_CLI: 'engine',
    LAB_API_MCP: 'true',
  };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: directory, env, encoding: 'utf8' });
  const steppedTo = stdout.split('\n').findLast((line) => line.startsWith('== ')) ?? 'nowhere';
  if (status !== 0) throw new Error(`it failed in ${steppedTo}\n${why(stdout + stderr)}`);
  expect(steppedTo).toBe('== the end');
  expect(readFileSync(path.join(directory, 'labs-at-the-end'), 'utf8')).toBe('{"labs":[]}\n');
}, 300_000);

// Seen in the list of tests: what is not typed on this machine, and why.
for (const [index, block] of left.entries())
  test.skip(`block ${index + 1} of "${block.title}" is left out (skipped: ${lackOf(block)})`, () =>
    undefined);

test('each block says by a known word what it needs', () => {
  const known = ['jq', 'tcpdump', 'netlab', 'docker', 'ssh', 'python3', 'node', 'sch_netem'];
  expect(typed.flatMap(({ needs }) => needs).filter((need) => !known.includes(need))).toEqual([]);
  expect(typed.length).toBeGreaterThan(4);
});
