/** The clients of examples/clients, generated from the document of the running service, take a lab through its life. */
import { beforeAll, describe, expect } from '@jest/globals';
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
import { makePair, opensslMissing } from '../support/certificates.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import type { Client } from '../support/client.ts';
import { startProgram, startService, type RunningProgram } from '../support/service.ts';
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
  readonly start: (directory: string, args: readonly string[], env?: object) => Promise<string>;
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
      const args = ['generate', '--config', 'generator.yml', '--path', 'openapi.json'];
      return run(pythonGenerator.file, args, directory, env);
    },
    start: async (directory, args, env = credentials) =>
      run(
        path.join(path.dirname(pythonGenerator.file), 'python3'),
        [path.join(directory, 'lab_round.py'), ...args],
        directory,
        { ...env, PYTHONPATH: path.join(directory, 'lab-api-client') },
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
    start: async (directory, args, env = credentials) =>
      run(process.execPath, [path.join(directory, 'dist/lab-round.js'), ...args], directory, env),
  },
];

/** A copy of the example in `label`, generated from the document of this service. */
async function generateFrom(service: Client, { language, generate }: ExampleClient, label: string) {
  const directory = path.join(root, label);
  cpSync(path.join(examples, 'clients', language), directory, { recursive: true });
  writeFileSync(path.join(directory, 'openapi.json'), (await service.get('/openapi.json')).bytes);
  expect(await generate(directory)).not.toMatch(/warning|error|skipp/i);
  return directory;
}

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

describe('with the bundled engine', () => {
  let service: RunningProgram;
  const missing = missingForAnyLabs();

  beforeAll(async () => {
    if (missing !== undefined) return;
    const home = path.join(root, 'home');
    mkdirSync(home);
    const settings = { LAB_API_CLI: 'engine', LAB_HOME: home, ...credentials };
    service = await startProgram({ env: settings, client: { headers: { Authorization: authorization } } });
  });

  for (const client of clients) {
    const why = missing ?? client.missing;
    const { because, it } = testUnless(why);
    it(`a client in ${client.language}, generated without a warning, takes a lab through its life${because}`, async () => {
      const directory = await generateFrom(service, client, client.language);
      const { workdir, instance } = labOf('triangle', `lab-${client.language}`);
      const said = await client.start(directory, [service.url, workdir]);
      const outcomes = said.match(/^(?:\w+: success|labs: .*)$/gm);
      expect(outcomes).toEqual(['up: success', `labs: ${instance}`, 'collect: success', 'down: success']);
      expect((await service.get('/status')).text).not.toContain(workdir);
      expect(readdirSync(workdir)).not.toContain('clab.yml');
    }, 600_000);
  }
});

describe('lab_requests.py', () => {
  const netlab = requirement('netlab');
  // netlab brings requests along.
  const python = netlab.missing === undefined ? path.join(path.dirname(netlab.file), 'python3') : 'python3';
  const why = missingForAnyLabs() ?? netlab.missing;
  const { because, it } = testUnless(why);
  it(`takes a lab through its life, and says what is wrong${because}`, async () => {
    const home = path.join(root, 'requests-home');
    mkdirSync(home);
    const settings = { LAB_API_CLI: 'engine', LAB_HOME: home, ...credentials };
    const service = await startProgram({
      env: settings,
      client: { headers: { Authorization: authorization } },
    });
    const program = path.join(examples, 'clients/python/lab_requests.py');
    const says = async (directory: string): Promise<string> =>
      run(python, [program, service.url, directory], root, credentials);
    const { workdir } = labOf('triangle', 'lab-requests');
    expect((await says(workdir)).match(/^\w+: success$/gm)).toEqual([
      'up: success',
      'collect: success',
      'down: success',
    ]);
    await expect(says('/nowhere')).rejects.toThrow(/up was refused: .*nowhere/);
    expect((await service.get('/labs')).json.labs).toEqual([]);
  });
});

describe('one that is generated from a service without a password says what is wrong, in one line', () => {
  for (const client of clients) {
    const why = client.missing ?? opensslMissing;
    const { because, it } = testUnless(why);
    it(`in ${client.language}, and stops no lab that it did not start${because}`, async () => {
      const directory = await generateFrom(await startService(), client, `${client.language}-mistakes`);
      const service = await startService({
        env: credentials,
        client: { headers: { Authorization: authorization } },
      });
      const { workdir } = service.ground;
      const says = async (args: readonly string[], env?: object): Promise<string> =>
        client.start(directory, args, env).then(
          (said) => `it ended well: ${said}`,
          (error: Error) => error.message.replace(/^\S+: /, ''),
        );
      const wrong = { ...credentials, LAB_API_PASSWORD: 'wrong' };
      const ways = 'a user name and password, ';
      expect(await says([service.url, workdir], wrong)).toBe(
        `up was refused: a valid login is required: ${ways}or a token\n`,
      );
      expect(await says([service.url, workdir], {})).toBe(
        `up was refused: a login is required: ${ways}a token, or a session\n`,
      );
      expect(await says([service.url, '/nowhere'])).toMatch(/^up was refused: .*nowhere.*\n$/);
      expect(await says([`${service.url}/elsewhere`, workdir])).toMatch(/^up was refused: .*\n$/);
      expect(await says(['http://127.0.0.1:1', workdir])).toMatch(/^no lab-api answers at http:.*:1: .*\n$/);
      makePair(directory, 'lab-api');
      const [cert, key] = ['cert', 'key'].map((kind) => path.join(directory, `lab-api.${kind}.pem`));
      const { url } = await startService({
        env: { ...credentials, LAB_API_TLS_CERT: cert, LAB_API_TLS_KEY: key },
      });
      expect(await says([url, workdir])).toMatch(/^no lab-api answers at https:.*certificate.*\n$/);
      const trust = { SSL_CERT_FILE: cert, NODE_EXTRA_CA_CERTS: cert };
      expect(await says([url, '/nowhere'], { ...credentials, ...trust })).toMatch(
        /^up was refused: .*nowhere/,
      );
      expect(await says([])).toMatch(/^usage: .* URL DIRECTORY-OF-A-LAB\n$/);
      expect((await service.get('/jobs')).json.jobs).toEqual([]);
    }, 600_000);
  }
});
