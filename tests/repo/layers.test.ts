import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');

interface Plant {
  /** Where the code is planted, below `src/`. */
  readonly file: string;
  readonly code: string;
  /** The rule that must object; undefined when the code is allowed. */
  readonly rule?: string;
  /** What the message must tell the reader to do. */
  readonly says?: RegExp;
}

const imports = 'eslint(no-restricted-imports)';
const properties = 'eslint(no-restricted-properties)';
const use = (specifier: string): string =>
  `import { thing } from '${specifier}';\nexport const used = thing;\n`;
const useType = (specifier: string): string =>
  `import type { Thing } from '${specifier}';\nexport interface Used extends Thing {}\n`;

const forbidden: readonly Plant[] = [
  { file: 'jobs/p-express.ts', code: use('express'), rule: imports, says: /src\/http only/ },
  { file: 'jobs/p-express-type.ts', code: useType('express'), rule: imports, says: /src\/http only/ },
  { file: 'labs/p-helmet.ts', code: use('helmet'), rule: imports, says: /src\/http only/ },
  { file: 'cli/p-express.ts', code: use('express'), rule: imports, says: /src\/http only/ },
  { file: 'http/p-child.ts', code: use('node:child_process'), rule: imports, says: /jobs\/process\.ts/ },
  { file: 'jobs/p-child.ts', code: use('node:child_process'), rule: imports, says: /jobs\/process\.ts/ },
  { file: 'labs/p-child.ts', code: use('child_process'), rule: imports, says: /labs\/run\.ts/ },
  { file: 'cli/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'lib/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'cluster/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'http/p-bullmq.ts', code: use('bullmq'), rule: imports, says: /src\/cluster only/ },
  { file: 'jobs/p-ioredis.ts', code: use('ioredis'), rule: imports, says: /src\/cluster only/ },
  { file: 'p-bullmq.ts', code: use('bullmq'), rule: imports, says: /src\/cluster only/ },
  { file: 'lib/p-package.ts', code: use('yaml'), rule: imports, says: /the layer that uses it/ },
  { file: 'lib/p-scoped.ts', code: use('@scope/name'), rule: imports, says: /the layer that uses it/ },
  { file: 'lib/p-labs.ts', code: use('../labs/run.ts'), rule: imports, says: /knows nothing of the product/ },
  {
    file: 'lib/p-version.ts',
    code: use('../version.ts'),
    rule: imports,
    says: /knows nothing of the product/,
  },
  { file: 'config/p-jobs.ts', code: use('../jobs/job.ts'), rule: imports, says: /config and lib only/ },
  { file: 'labs/p-config.ts', code: use('../config/config.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/p-jobs.ts', code: use('../jobs/job.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/p-bootstrap.ts', code: use('../bootstrap.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/run.ts', code: use('../jobs/job.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'jobs/p-run.ts', code: use('../labs/run.ts'), rule: imports, says: /the argument list/ },
  { file: 'jobs/process.ts', code: use('../labs/run.ts'), rule: imports, says: /the argument list/ },
  { file: 'jobs/p-http.ts', code: use('../http/app.ts'), rule: imports, says: /bootstrap\.ts pass it in/ },
  { file: 'jobs/p-config.ts', code: useType('../config/config.ts'), rule: imports, says: /as a parameter/ },
  {
    file: 'http/p-engine.ts',
    code: use('../engine/topology.ts'),
    rule: imports,
    says: /bootstrap\.ts pass in/,
  },
  {
    file: 'http/routers/p-cluster.ts',
    code: use('../../cluster/queue.ts'),
    rule: imports,
    says: /bootstrap\.ts pass in/,
  },
  { file: 'doctor/p-http.ts', code: use('../http/app.ts'), rule: imports, says: /starts no service/ },
  { file: 'doctor/p-service.ts', code: use('../service.ts'), rule: imports, says: /starts no service/ },
  { file: 'engine/p-jobs.ts', code: use('../jobs/job.ts'), rule: imports, says: /a lab CLI of its own/ },
  {
    file: 'cluster/p-labs.ts',
    code: use('../labs/run.ts'),
    rule: imports,
    says: /cluster, jobs and lib only/,
  },
  { file: 'p-tests.ts', code: use('../tests/support/thing.ts'), rule: imports, says: /never imports tests/ },
  {
    file: 'http/routers/p-tests.ts',
    code: use('../../../tests/support/thing.ts'),
    rule: imports,
    says: /never imports tests/,
  },
  {
    file: 'jobs/p-reexport.ts',
    code: "export { thing } from '../http/app.ts';\n",
    rule: imports,
    says: /bootstrap/,
  },
  {
    file: 'labs/p-env.ts',
    code: 'export const used = process.env;\n',
    rule: properties,
    says: /Config or as a parameter/,
  },
  {
    file: 'jobs/p-env.ts',
    code: "export const used = process['env'];\n",
    rule: properties,
    says: /read once/,
  },
  {
    file: 'http/p-exit.ts',
    code: 'process.exit(1);\n',
    rule: properties,
    says: /throw, or return an outcome/,
  },
  { file: 'labs/p-process.ts', code: use('node:process'), rule: imports, says: /the global/ },
  {
    file: 'jobs/p-cycle-a.ts',
    code: use('./p-cycle-b.ts').replace('used', 'thing2'),
    rule: 'import(no-cycle)',
  },
  { file: 'jobs/p-default.ts', code: 'export default 1;\n', rule: 'import(no-default-export)' },
  { file: 'jobs/p-barrel.ts', code: "export * from './job.ts';\n", rule: 'oxc(no-barrel-file)' },
];

const allowed: readonly Plant[] = [
  { file: 'http/ok-express.ts', code: use('express') },
  {
    file: 'http/ok-layers.ts',
    code:
      use('../jobs/job.ts') +
      use('../labs/run.ts').replace('used', 'more').replace('thing', 'thing as other'),
  },
  { file: 'jobs/ok-options.ts', code: use('../labs/options.ts') },
  { file: 'jobs/ok-actions.ts', code: use('../labs/actions.ts') },
  { file: 'jobs/data-dir-owner.ts', code: use('node:child_process') },
  { file: 'engine/ok-child.ts', code: use('node:child_process') },
  { file: 'cluster/ok-bullmq.ts', code: use('bullmq') },
  { file: 'lib/ok-node.ts', code: use('node:fs/promises') },
  { file: 'lib/ok-lib.ts', code: use('./ok-node.ts') },
  { file: 'labs/ok-package.ts', code: use('yaml') },
  { file: 'doctor/ok-run.ts', code: use('../labs/run.ts') },
  { file: 'config/ok-lib.ts', code: use('../lib/ok-node.ts') },
  { file: 'bootstrap.ts', code: 'export const used = process.env;\n' },
  { file: 'main.ts', code: 'process.exit(1);\n' },
  { file: 'cli/ok-exit.ts', code: 'process.exit(1);\n' },
];

interface Diagnostic {
  readonly message: string;
  readonly code: string;
  readonly help?: string;
  readonly filename: string;
}

let directory = '';
let diagnostics: readonly Diagnostic[] = [];

async function plant(file: string, code: string): Promise<void> {
  const target = path.join(directory, 'src', file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, code);
}

/** Runs the linter with the project's own rules; it exits with 1 whenever it objects to something. */
async function lint(): Promise<readonly Diagnostic[]> {
  const program = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const run = promisify(execFile)(process.execPath, [program, '--format', 'json', 'src'], {
    cwd: directory,
    maxBuffer: 16 * 1024 * 1024,
  });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
}

function objectionsTo({ file }: Plant): string[] {
  return diagnostics
    .filter(({ filename }) => filename === path.join('src', file))
    .map(({ code, message, help }) => `${code}: ${message} ${help ?? ''}`);
}

function titled(plants: readonly Plant[]): (Plant & { title: string })[] {
  return plants.map((it) => ({ ...it, title: `${it.code.split('\n')[0]} in src/${it.file}` }));
}

const layerRules = [
  imports,
  properties,
  'import(no-cycle)',
  'import(no-default-export)',
  'oxc(no-barrel-file)',
];

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'layers-'));
  await copyFile(path.join(root, '.oxlintrc.json'), path.join(directory, '.oxlintrc.json'));
  await copyFile(path.join(root, 'tsconfig.json'), path.join(directory, 'tsconfig.json'));
  for (const { file, code } of [...forbidden, ...allowed]) await plant(file, code);
  await plant(
    'jobs/p-cycle-b.ts',
    use('./p-cycle-a.ts').replace('thing', 'thing2').replace('thing;', 'thing2;'),
  );
  await plant('jobs/job.ts', 'export const thing = 1;\n');
  diagnostics = await lint();
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the linter objects to', () => {
  test.each(titled(forbidden))('$title', (planted) => {
    const objections = objectionsTo(planted);
    const wanted = objections.filter((objection) => objection.startsWith(`${planted.rule}:`));
    expect(wanted).not.toEqual([]);
    if (planted.says) expect(wanted.join('\n')).toMatch(planted.says);
  });
});

describe('the linter allows', () => {
  test.each(titled(allowed))('$title', (planted) => {
    const objections = objectionsTo(planted);
    expect(
      objections.filter((objection) => layerRules.some((rule) => objection.startsWith(`${rule}:`))),
    ).toEqual([]);
  });
});

test('every folder of src has a layer rule of its own', async () => {
  const folders = (await readdir(path.join(root, 'src'), { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const known = ['cli', 'cluster', 'config', 'doctor', 'engine', 'http', 'jobs', 'labs', 'lib'];
  expect(known).toEqual(expect.arrayContaining(folders.map(({ name }) => name)));
});
