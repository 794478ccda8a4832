/** docs/gallery.md shows every lab in `examples`, and each block starts a lab and shows what the page says. */
import { expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exampleLabs } from '../../scripts/lib/examples.mjs';
import { missingForRoutedLabs } from '../support/example-labs.ts';
import { repoRoot } from '../support/repo-files.ts';
import { testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { leftOut } from '../support/thorough.ts';
import { blocksOf, commandsBelow, inBackground, missingForTyping, typeInto } from '../support/typed-page.ts';

const page = 'docs/gallery.md';
const root = temporaryDirectory();
const [address = ''] = commandsBelow('Gallery of labs', page);
const [stop = ''] = commandsBelow('Stop a lab', page);
const starts = blocksOf(page).filter(({ commands }) => commands.startsWith('lab start up '));
const ofEngine = starts.filter(({ needs }) => needs.length === 0);
const ofNetlab = starts.filter(({ needs }) => needs.includes('netlab'));
/** tests/integration/routed-examples.test.ts starts the other labs. */
const withMore = ofNetlab.filter(({ commands }) => commands.trim().includes('\n'));

/** Types blocks against a service, each with the end of its lab; gives what each printed. */
function typed(name: string, blocks: readonly { readonly commands: string }[], env: Record<string, string>) {
  const directory = path.join(root, name);
  mkdirSync(directory);
  const script = [
    inBackground('lab api'),
    address,
    ...blocks.map(({ commands }) => `echo "== next"\n${commands}${stop}`),
  ];
  const { status, stdout, stderr } = typeInto(directory, script.join('\n'), env);
  if (status !== 0) throw new Error(`it failed:\n${stdout}${stderr}`);
  return stdout.split('== next\n').slice(1);
}

test('each lab has a picture and a block that starts it, and says whether it needs netlab', () => {
  const text = readFileSync(path.join(repoRoot, page), 'utf8');
  const shown = exampleLabs.map(({ name, isRouted }) => {
    const picture = `pictures/${name.replaceAll('/', '-')}.svg`;
    const command = `lab start up --workdir examples/${name} --follow\n`;
    const blocks = isRouted ? ofNetlab : ofEngine;
    const isStarted = blocks.filter(({ commands }) => commands.startsWith(command)).length === 1;
    const isThere = text.includes(`](${picture})`) && existsSync(path.join(repoRoot, 'docs', picture));
    return { name, isStarted, isThere };
  });
  expect(shown).toEqual(exampleLabs.map(({ name }) => ({ name, isStarted: true, isThere: true })));
  expect(starts).toHaveLength(exampleLabs.length);
});

const engine = testUnless(missingForTyping());

engine.it(
  `the blocks for the bundled engine work${engine.because}`,
  () => {
    const said = typed('engine', ofEngine, {});
    const [twoHosts, triangle, spineLeaf, branches, line] = said;
    expect(twoHosts).toMatch(/ 1 (packets )?received/);
    expect(triangle).toMatch(/Tests passed[^]*\[FAIL\][^]*^exit code 1$/m);
    expect(spineLeaf).toMatch(/^172\.16\.2\.0\/24 via /m);
    expect(branches!.match(/^== h\d \(exit \d\)$/gm)).toEqual([
      '== h3 (exit 0)',
      '== h4 (exit 1)',
      '== h5 (exit 0)',
    ]);
    expect(line).toMatch(/ttl=157/);
  },
  120_000,
);

const routed = testUnless(missingForTyping() ?? missingForRoutedLabs() ?? leftOut);
const env = { LAB_API_CLI: 'netlab', LAB_API_RUNTIME: 'namespaces' };

routed.it.each(withMore)(
  `$title${routed.because}`,
  (block) => {
    const [said] = typed(block.title.replaceAll('/', '-'), [block], env);
    expect(said).toContain('Tests passed');
  },
  180_000,
);
