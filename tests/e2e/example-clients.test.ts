/** The clients of examples/clients, generated from the document of the running service, take a lab through its life. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile, type ExecFileException } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { takeLabServer } from '../support/lab-server.ts';
import { missingForContainerLabs, requirement } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
const examples = path.resolve('examples');
const credentials = { LAB_API_USER: 'ops', LAB_API_PASSWORD: 'a password' };
const authorization = `Basic ${Buffer.from('ops:a password').toString('base64')}`;

/** Runs a program to its end; what it said goes into the error when it fails. */
async function run(file: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string): void => {
      if (error) reject(new Error(`${path.basename(file)}: ${stdout}${stderr}`));
      else resolve(stdout + stderr);
    };
    execFile(file, [...args], { cwd, env: { ...process.env, ...env } }, done);
  });
}

interface ExampleClient {
  readonly language: string;
  readonly missing: string | undefined;
  /** Generates it from `openapi.json` in `directory`; gives what the generator said. */
  readonly generate: (directory: string) => Promise<string>;
  readonly start: (directory: string, url: string, workdir: string) => Promise<string>;
}

const pythonGenerator = requirement('openapi-python-client');
const typescriptGenerator = requirement('openapi-typescript');

const clients: readonly ExampleClient[] = [
  {
    language: 'python',
    missing: pythonGenerator.missing,
    generate: async (directory) => {
      // It has ruff beside it, and calls it by name.
      const env = { PATH: `${path.dirname(pythonGenerator.file)}:${process.env['PATH']}` };
      return run(pythonGenerator.file, ['generate', '--path', 'openapi.json'], directory, env);
    },
    start: async (directory, url, workdir) =>
      run(
        path.join(path.dirname(pythonGenerator.file), 'python3'),
        [path.join(directory, 'lab_round.py'), url, workdir],
        directory,
        { ...credentials, PYTHONPATH: path.join(directory, 'lab-api-client') },
      ),
  },
  {
    language: 'typescript',
    missing: typescriptGenerator.missing,
    generate: async (directory) => {
      const modules = path.resolve(realpathSync(typescriptGenerator.file), '../../..');
      symlinkSync(modules, path.join(directory, 'node_modules'));
      const said = await run(typescriptGenerator.file, ['openapi.json', '-o', 'lab-api.d.ts'], directory);
      return said + (await run(path.join(modules, '.bin/tsc'), [], directory));
    },
    start: async (directory, url, workdir) =>
      run(
        process.execPath,
        [path.join(directory, 'dist/lab-round.js'), url, workdir],
        directory,
        credentials,
      ),
  },
];

/** A copy of an example as a lab of its own on this machine. */
function labOf(example: string, label: string): { workdir: string; instance: string } {
  const workdir = path.join(root, label);
  cpSync(path.join(examples, example), workdir, { recursive: true });
  const instance = String(freeInstanceNumber());
  appendFileSync(
    path.join(workdir, 'topology.yml'),
    `plugin: [multilab]\ndefaults.multilab.id: ${instance}\n`,
  );
  return { workdir, instance };
}

const labClis = [
  { cli: 'engine', example: 'triangle', missing: missingForAnyLabs(), env: {} },
  {
    cli: 'netlab',
    example: 'ospf',
    missing: missingForContainerLabs(),
    // What netlab knows of this machine (its kernel modules, say) is in the home directory.
    env: { HOME: process.env['HOME'] ?? '/' },
  },
];

describe.each(labClis)('with the lab CLI $cli', ({ cli, example, missing, env }) => {
  let service: RunningProgram;
  let giveBack = (): void => undefined;

  beforeAll(async () => {
    if (missing !== undefined) return;
    if (cli === 'netlab') giveBack = await takeLabServer();
    const home = path.join(root, `home-${cli}`);
    mkdirSync(home);
    const settings = { LAB_API_CLI: cli, LAB_HOME: home, ...credentials, ...env };
    service = await startProgram({ env: settings, client: { headers: { Authorization: authorization } } });
  }, 600_000);
  afterAll(() => giveBack());

  for (const client of clients) {
    const why = missing ?? client.missing;
    const because = why === undefined ? '' : ` (skipped: ${why})`;
    const it = why === undefined ? test : test.skip;
    it(`a client in ${client.language}, generated without a warning, takes a lab through its life${because}`, async () => {
      const directory = path.join(root, `${client.language}-${cli}`);
      cpSync(path.join(examples, 'clients', client.language), directory, { recursive: true });
      writeFileSync(path.join(directory, 'openapi.json'), (await service.get('/openapi.json')).bytes);
      expect(await client.generate(directory)).not.toMatch(/warning|error|skipp/i);
      const { workdir, instance } = labOf(example, `lab-${client.language}-${cli}`);
      const said = await client.start(directory, service.url, workdir);
      const outcomes = said.match(/^(?:\w+: success|labs: .*)$/gm);
      expect(outcomes).toEqual(['up: success', `labs: ${instance}`, 'collect: success', 'down: success']);
      expect((await service.get('/status')).text).not.toContain(workdir);
      expect(readdirSync(workdir)).not.toContain('clab.yml');
    }, 600_000);
  }
});
