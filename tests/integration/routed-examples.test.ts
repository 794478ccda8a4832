/** The routed examples, in namespaces: each passes its own tests, those of the course once their solution is applied. */
import { expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withoutModules } from '../../src/labs/drivers/netlab/runtime.ts';
import { missingForRoutedLabs, routedExamples } from '../support/example-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const netlab = requirement('netlab');
const { because, it } = testUnless(missingForRoutedLabs());
const root = temporaryDirectory();

/** Other tests start examples as well, and namespaces are called after the name of the lab. */
const name = `x${process.pid}`;

it.each(routedExamples)(
  `$directory${because}`,
  ({ directory: example, text }) => {
    const directory = path.join(root, example.replaceAll('/', '-'));
    cpSync(example, directory, { recursive: true });
    writeFileSync(path.join(directory, 'topology.yml'), text.replace(/^name: .*/m, `name: ${name}`));
    const files = readdirSync(directory);
    const home = path.join(root, `home-${path.basename(directory)}`);
    mkdirSync(home);
    const env = {
      ...process.env,
      ...(existsSync('/proc/modules') ? {} : withoutModules(process.env)),
      HOME: home,
      LAB_HOME: path.join(home, '.lab'),
      LAB_NODE: process.execPath,
      LAB_RUNTIME: 'namespaces',
      PATH: `${path.resolve('dist/engine/runtime')}:${path.dirname(netlab.file)}:${process.env['PATH'] ?? ''}`,
    };
    const run = (...words: string[]): { exitCode: number | null; printed: string } => {
      const { status, stdout, stderr } = spawnSync(netlab.file, words, {
        cwd: directory,
        env,
        encoding: 'utf8',
      });
      return { exitCode: status, printed: `${stdout}${stderr}` };
    };
    const succeeded = { exitCode: 0, printed: expect.any(String) };
    try {
      expect(run('up')).toEqual(succeeded);
      if (files.includes('solution')) {
        expect(run('validate', '--skip-wait')).toMatchObject({ exitCode: 1 });
        expect(run('config', 'solution', '--limit', 'frr')).toEqual(succeeded);
      }
      expect(run('validate')).toEqual({
        exitCode: 0,
        printed: expect.stringMatching(/\[SUCCESS\] +Tests passed/),
      });
    } finally {
      run('down', '--cleanup', '--force');
    }
    expect(readdirSync(directory)).toEqual(files);
    expect(existsSync(`/run/lab-engine/clab.${name}`)).toBe(false);
  },
  180_000,
);
