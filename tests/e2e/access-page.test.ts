/**
 * Every `sh` block of docs/access.md works, typed in the order of the page into one shell, against the built service with the
 * bundled engine. To add one, write it into the page: nothing else. A block that starts the service (`lab api`) runs beside the
 * others until their end; one that needs a program that not every machine has names it behind `sh`, and is left out where that is
 * not there: ```sh needs=jq,openssl. `installed-service` is no program: such a block changes the machine, and is typed nowhere.
 *
 * A reply of 400 or more fails the test, and so does any command that fails.
 */
import { expect, test } from '@jest/globals';
import { testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { blocksOf, inBackground, missingForTyping, typableOf, typeInto } from '../support/typed-page.ts';

const missing = missingForTyping();
const { because, it } = testUnless(missing);
const directory = temporaryDirectory();

const blocks = blocksOf('docs/access.md');
const run = typableOf(blocks);

/** What somebody does at a terminal: types the password that is asked for, and reads what a refusal says. */
const hands = `lab() { printf 'a long password\\n' | command lab "$@"; }
curl() {
  set -- "\${@/#ops/ops:a long password}"
  command curl --fail-with-body "\${@/#eva/eva:a long password}"
}`;

/** Every way of logging in that the page tells of. */
const withPassword = `curl -sS --cacert $certificate -u ops $LAB/session
command curl -sS --fail-with-body --cacert $certificate -u 'eva:a longer password' $LAB/session`;

it(`${run.length} blocks of docs/access.md work, in their order${because}`, () => {
  const steps = run.map(({ commands }, index) => {
    const isService = /\blab api\b/.test(commands);
    return `echo; echo "== ${index + 1}"\n${isService ? inBackground(commands, 'https://127.0.0.1:8090') : commands}`;
  });
  const { stdout, stderr } = typeInto(
    directory,
    [hands, ...steps, withPassword, 'echo; echo "== the end"'].join('\n'),
  );
  expect(`${stdout}${stderr}`).toContain('== the end');
  // What the page says comes of it.
  expect(stdout).toMatch(/^ci +operator +- +1 +\S+\/labs\/ci$/m);
  expect(stdout).toContain('"user":"ci","role":"operator","permissions":["read","operate"]');
  expect(stdout).toContain('"loggedInBy":"session"');
  expect(stdout).toContain('{"owner":"bob"}');
  expect(stdout).toMatch(/"name":"dan".*"locked":true/);
  expect(stdout).toContain('"user":"ops","role":"admin"');
  expect(stdout.split('"user":"eva","role":"viewer"')).toHaveLength(3);
}, 120_000);

test('every block says by a known word what it needs', () => {
  const known = ['jq', 'openssl', 'installed-service'];
  expect(blocks.flatMap(({ needs }) => needs).filter((need) => !known.includes(need))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(4);
});
