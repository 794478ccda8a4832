import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runEngine } from '../../../src/engine/program.ts';
import { writeSnapshot } from '../../../src/engine/lab/snapshot.ts';
import { handMadeLab } from '../../support/engine-lab.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(root, 'lab-'));
});

async function lab(...args: string[]) {
  const printed = { out: '', err: '' };
  const exitCode = await runEngine({
    context: {
      home: path.join(cwd, 'home'),
      cwd,
      runDir: path.join(cwd, 'run'),
      out: (text) => (printed.out += text),
      err: (text) => (printed.err += text),
      interrupted: new AbortController().signal,
    },
    version: '1.2.3',
    env: {},
    program: ['/bin/false'],
    args,
  });
  return { exitCode, ...printed };
}

describe('the command line', () => {
  test('says its version', async () => {
    for (const version of ['version', '--version']) {
      expect(await lab(version)).toEqual({ exitCode: 0, out: 'lab 1.2.3 (bundled engine)\n', err: '' });
    }
  });

  test.each([
    [['fly']],
    [['up', '--fly']],
    [['up', 'a.yml', 'b.yml']],
    [['status', '--format', 'xml']],
    [['down', '--instance', '../etc']],
    [['exec', 'h1']],
    [['exec', 'h1', '--']],
    [['exec', 'h1', '--instance', '5', 'true']],
    [['collect', '--tar']],
  ])('ends with 2 for %j', async (args) => {
    const { exitCode, err } = await lab(...args);
    expect([exitCode, err]).toEqual([2, expect.stringMatching(/^error: /)]);
  });

  test('says where wrong usage is put right, and shows no default that is none', async () => {
    expect((await lab('up', '--fly')).err).toMatch(
      /\n\("lab up --help" lists its arguments and options\)\n$/,
    );
    const { out } = await lab('up', '--help');
    expect(out).toContain('or a directory');
    expect(out).not.toContain('[])');
  });

  test("notes netlab's options that mean nothing here once, and goes on", async () => {
    await writeSnapshot(cwd, handMadeLab({ links: [['h1', 'h2']] }));
    const options = [
      '--no-config',
      '--reload-config',
      'x',
      '--no-tools',
      '--fast-config',
      '-v',
      '-p',
      'clab',
      '--plugin',
      'x',
    ];
    const { exitCode, out, err } = await lab('up', '--snapshot', '--dry-run', ...options);
    expect(exitCode).toBe(0);
    expect(out).toContain('netns add lab-default-h1');
    expect(err).toBe(
      'Note: --no-config, --reload-config, --no-tools, --fast-config has no effect in the bundled engine\n',
    );
  });

  test('ends with 1 and one sentence for what cannot be done', async () => {
    expect(await lab('up', '--snapshot', '--dry-run')).toEqual({
      exitCode: 1,
      out: '',
      err: expect.stringMatching(/^Fatal error in lab up: there is no snapshot .*\n$/),
    });
    expect((await lab('create', 'no\u202epe\u001b.yml')).err).toBe(
      String.raw`Fatal error in lab create: there is no topology file ${cwd}/no\u202epe\u001b.yml` + '\n',
    );
  });

  test('prints every error of a topology, each with its place', async () => {
    writeFileSync(path.join(cwd, 'topology.yml'), 'nodes: [a, b]\nlinks: [a-c]\nbogus: 1\n');
    const { exitCode, err } = await lab('create');
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^topology\.yml:2:\d+: .*$/m);
    expect(err).toMatch(/^topology\.yml:3:1: .*$/m);
    expect(err).toMatch(/\nFatal error in lab create: topology\.yml:2:\d+: .*; and 1 more error\n/);
    expect(readdirSync(cwd)).toEqual(['topology.yml']);
  });

  test('prints a single error of a topology once, and gives options no place in the file', async () => {
    writeFileSync(path.join(cwd, 'topology.yml'), 'nodes: [a, b]\nlinks: [a-c]\n');
    expect((await lab('create')).err).toMatch(/^Fatal error in lab create: topology\.yml:2:9: .*\n$/);
    writeFileSync(path.join(cwd, 'topology.yml'), 'nodes: [a, b]\n');
    expect((await lab('create', '-p', 'clab')).err).toMatch(/^warning: --provider clab: /);
    expect((await lab('create', '-d', 'eos')).err).toMatch(/^Fatal error in lab create: --device eos: /);
  });
});
