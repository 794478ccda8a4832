/**
 * Every `sh` block of these pages works, typed in the order of the page into one shell, against the built service with the
 * bundled engine. To add one, write it into the page: nothing else. A block that needs what not every machine has names it behind
 * `sh`, and is left out where it is not there:
 *
 *     ```sh needs=jq,tcpdump        programs on PATH
 *     ```sh needs=netlab            it is not typed here at all: the engine is what runs the labs
 *
 * A reply of 400 or more fails the test, and so does any command that fails.
 */
import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { blocksOf, inBackground, missingForTyping, typableOf, typeInto } from '../support/typed-page.ts';

const missing = missingForTyping();
const { because, it } = testUnless(missing);
const root = temporaryDirectory();

/** On a line of its own: not every reply ends with one. */
const say = (what: string): string => `printf '\\n== %s\\n' "${what}"`;
/** A reply that is a refusal fails, as the page promises that all of it works. */
const strictCurl = 'curl() { command curl --fail-with-body "$@"; }';
const takeDown = `for lab in $(curl -sS $LAB/labs | grep -oE '"id":"[^"]*","cli"' | cut -d'"' -f4); do
  job=$(curl -sS $LAB/jobs -d "{\\"action\\": \\"down\\", \\"instance\\": \\"$lab\\"}" | grep -oE '"id":"[^"]*' | head -n1 | cut -d'"' -f4)
  curl -sS -o end "$LAB/jobs/$job?wait=60"
done
curl -sS -H 'Cache-Control: no-cache' $LAB/labs >labs-at-the-end`;

describe.each(['docs/labs.md', 'docs/faults.md', 'docs/scenarios.md', 'docs/snapshots.md'])('%s', (page) => {
  // Many blocks filter replies with jq.
  const blocks = blocksOf(page).map((block) => ({
    ...block,
    needs: [...block.needs, ...(/\bjq\b/.test(block.commands) ? ['jq'] : [])],
  }));
  const run = typableOf(blocks, 'netlab');

  it(`${run.length} blocks work, in their order${because}`, () => {
    const directory = path.join(root, path.basename(page));
    mkdirSync(directory);
    const steps = run.map(({ title, commands }, index) => `${say(`${index + 1}: ${title}`)}\n${commands}`);
    const script = [inBackground('lab api'), strictCurl, ...steps, say('the end'), takeDown].join('\n');
    const { status, stdout, stderr } = typeInto(directory, script, { LAB_API_MCP: 'true' });
    const steppedTo = stdout.split('\n').findLast((line) => line.startsWith('== ')) ?? 'nowhere';
    const log = readFileSync(path.join(directory, 'service.log'), 'utf8').split('\n').slice(-15);
    if (status !== 0)
      throw new Error([`it failed in ${steppedTo}`, (stdout + stderr).slice(-6_000), ...log].join('\n'));
    expect(steppedTo).toBe('== the end');
    expect(readFileSync(path.join(directory, 'labs-at-the-end'), 'utf8')).toBe('{"labs":[]}\n');
  }, 300_000);

  test('each block says by a known word what it needs', () => {
    const known = [
      'jq',
      'tcpdump',
      'netlab',
      'docker',
      'ssh',
      'python3',
      'node',
      'sch_netem',
      'nft',
      'fping',
    ];
    expect(blocks.flatMap(({ needs }) => needs).filter((need) => !known.includes(need))).toEqual([]);
    expect(blocks.length).toBeGreaterThan(4);
  });
});
