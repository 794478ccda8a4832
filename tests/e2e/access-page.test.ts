/**
 * Every `sh` block of docs/access.md works, typed in the order of the page into one shell, against the built service with the
 * bundled engine. To add one, write it into the page: nothing else. A block that starts the service (`lab api`) runs beside the
 * others until their end; one that needs a program that not every machine has names it behind `sh`, and is left out where that is
 * not there: ```sh needs=jq,openssl. `installed-service` is no program: such a block changes the machine, and is typed nowhere.
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

const repository = path.resolve(__dirname, '../..');
const missing =
  missingForAnyLabs() ?? requirement('bash').missing ?? requirement('curl').missing ?? missingForSandbox();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;
const directory = temporaryDirectory();

const page = readFileSync(path.join(repository, 'docs', 'access.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh(?: needs=(\S+))?\n(.*?)^```/gms)].map(
  ([, needs, commands = '']) => ({
    commands,
    needs: needs?.split(',') ?? [],
  }),
);
const run = blocks.filter(({ needs }) => needs.every((name) => requirement(name).missing === undefined));

/** What somebody does at a terminal: types the password that is asked for, and reads what a refusal says. */
const hands = `lab() { printf 'a long password\\n' | command lab "$@"; }
curl() { command curl --fail-with-body "$@"; }`;
const untilItAnswers =
  'command curl -sSk -o healthz --retry 30 --retry-delay 1 --retry-connrefused https://127.0.0.1:8090/healthz 2>retries';

/** The page has the password typed in; here it is an argument. */
const withPassword = `curl -sS --cacert $certificate -u 'ops:a long password' $LAB/session`;

function typed(commands: string): string {
  return /\blab api\b/.test(commands)
    ? `{ ${commands.trimEnd()}\n} >service.log 2>&1 &\n${untilItAnswers}`
    : commands;
}

it(`${run.length} blocks of docs/access.md work, in their order${because}`, () => {
  cpSync(path.join(repository, 'examples'), path.join(directory, 'examples'), { recursive: true });
  mkdirSync(path.join(directory, 'bin'));
  symlinkSync(builtProgram, path.join(directory, 'bin', 'lab'));
  const steps = run.map(({ commands }, index) => `echo; echo "== ${index + 1}"\n${typed(commands)}`);
  const script = [hands, ...steps, withPassword, 'echo; echo "== the end"'].join('\n');
  const [file, ...args] = sandboxed('bash', '--norc', '-euo', 'pipefail', '-c', script);
  const env = {
    PATH: `${path.join(directory, 'bin')}:${process.env['PATH']}`,
    HOME: path.join(directory, 'home'),
    LAB_API_CLI: 'engine',
  };
  const { stdout, stderr } = spawnSync(file, args, { cwd: directory, env, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toContain('== the end');
  // What the page says comes of it.
  expect(stdout).toMatch(/^ci +operator +- +1 +\S+\/labs\/ci$/m);
  expect(stdout).toContain('"user":"ci","role":"operator","permissions":["read","operate"]');
  expect(stdout).toContain('"loggedInBy":"session"');
  expect(stdout).toContain('{"owner":"bob"}');
  expect(stdout).toContain('"user":"ops","role":"admin"');
}, 120_000);

// Seen in the list of tests: what is not typed on this machine, and why.
for (const { needs } of blocks.filter((block) => !run.includes(block)))
  test.skip(`a block is left out (skipped: it needs ${needs.join(', ')})`, () => undefined);

test('every block says by a known word what it needs', () => {
  const known = ['jq', 'openssl', 'installed-service'];
  expect(blocks.flatMap(({ needs }) => needs).filter((need) => !known.includes(need))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(4);
});
