import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rowOf } from '../../scripts/lint/imports.mjs';
import { repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Plant {
  /** Where the code is planted, below `src/`. */
  readonly file: string;
  readonly code: string;
  /** The rule that must object; undefined when the code is allowed. */
  readonly rule?: string;
  /** What the message must tell the reader to do. */
  readonly says?: RegExp;
}

const imports = 'house(layers)';
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
  { file: 'http/p-child.ts', code: use('node:child_process'), rule: imports, says: /jobs\/run\/process\.ts/ },
  { file: 'jobs/p-child.ts', code: use('node:child_process'), rule: imports, says: /jobs\/run\/process\.ts/ },
  { file: 'labs/p-child.ts', code: use('child_process'), rule: imports, says: /labs\/run\.ts/ },
  { file: 'cli/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'lib/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'cluster/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine/ },
  { file: 'http/p-bullmq.ts', code: use('bullmq'), rule: imports, says: /src\/cluster only/ },
  { file: 'jobs/p-ioredis.ts', code: use('ioredis'), rule: imports, says: /src\/cluster only/ },
  { file: 'jobs/p-prom.ts', code: use('prom-client/x.js'), rule: imports, says: /src\/metrics only/ },
  { file: 'metrics/p-http.ts', code: use('../http/app.ts'), rule: imports, says: /service\.ts pass in/ },
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
  { file: 'config/p-jobs.ts', code: use('../jobs/model/job.ts'), rule: imports, says: /config and lib only/ },
  { file: 'labs/p-config.ts', code: use('../config/config.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/p-jobs.ts', code: use('../jobs/model/job.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/p-bootstrap.ts', code: use('../bootstrap.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'labs/system/run.ts', code: use('../jobs/model/job.ts'), rule: imports, says: /labs and lib only/ },
  { file: 'jobs/p-run.ts', code: use('../labs/run.ts'), rule: imports, says: /the argument list/ },
  { file: 'jobs/run/process.ts', code: use('../../labs/run.ts'), rule: imports, says: /the argument list/ },
  { file: 'jobs/p-http.ts', code: use('../http/app.ts'), rule: imports, says: /bootstrap\.ts pass it in/ },
  { file: 'jobs/p-config.ts', code: useType('../config/config.ts'), rule: imports, says: /as a parameter/ },
  {
    file: 'http/p-engine.ts',
    code: use('../engine/topology/read-topology.ts'),
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
  {
    file: 'engine/p-jobs.ts',
    code: use('../jobs/model/job.ts'),
    rule: imports,
    says: /a lab CLI of its own/,
  },
  {
    file: 'cluster/p-labs.ts',
    code: use('../labs/run.ts'),
    rule: imports,
    says: /of jobs only job-service\.ts and model\/, and lib/,
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
  // Seams inside a layer, and the ways of importing.
  { file: 'cli/p-http.ts', code: use('../http/app.ts'), rule: imports, says: /bootstrap\.ts build/ },
  { file: 'service-log.ts', code: use('./jobs/model/job.ts'), rule: imports, says: /only join the parts/ },
  {
    file: 'http/routers/p-view.ts',
    code: use('../../jobs/view/log-tail.ts'),
    rule: imports,
    says: /model\//,
  },
  { file: 'http/reply/p-router.ts', code: use('../routers/jobs.ts'), rule: imports, says: /reply, request/ },
  { file: 'jobs/store/p-run.ts', code: use('../run/process.ts'), rule: imports, says: /model, store, log/ },
  { file: 'engine/core/p-state.ts', code: use('../state/state.ts'), rule: imports, says: /lower one/ },
  { file: 'engine/lab/p-child.ts', code: use('node:child_process'), rule: imports, says: /engine\/system/ },
  {
    file: 'labs/drivers/netlab/p-engine.ts',
    code: use('../engine/flags.ts'),
    rule: imports,
    says: /nothing of the other drivers/,
  },
  { file: 'doctor/p-store.ts', code: use('../jobs/store/job-store.ts'), rule: imports, says: /starts no/ },
  {
    file: 'jobs/p-dynamic.ts',
    code: "export const load = () => import('../http/app.ts');\n",
    rule: imports,
    says: /bootstrap/,
  },
  {
    file: 'jobs/p-import-type.ts',
    code: "export type Thing = import('../http/app.ts').Thing;\n",
    rule: imports,
    says: /bootstrap/,
  },
  { file: 'jobs/p-all.ts', code: "export * from '../http/app.ts';\n", rule: imports, says: /bootstrap/ },
  { file: 'rooms/p-rowless.ts', code: use('../lib/home.ts'), rule: imports, says: /has no row/ },
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
      use('../jobs/model/job.ts') +
      use('../labs/run.ts').replace('used', 'more').replace('thing', 'thing as other'),
  },
  { file: 'jobs/ok-options.ts', code: use('../labs/options.ts') },
  { file: 'jobs/ok-actions.ts', code: use('../labs/actions.ts') },
  { file: 'lib/files/lock-file.ts', code: use('node:child_process') },
  { file: 'engine/system/ok-child.ts', code: use('node:child_process') },
  { file: 'cluster/ok-bullmq.ts', code: use('bullmq') },
  { file: 'lib/ok-node.ts', code: use('node:fs/promises') },
  { file: 'lib/ok-lib.ts', code: use('./ok-node.ts') },
  { file: 'labs/drivers/engine/ok-netlab.ts', code: use('../netlab/status-document.ts') },
  { file: 'jobs/view/ok-service.ts', code: use('../job-service.ts') },
  { file: 'http/routers/ok-service.ts', code: use('../../jobs/job-service.ts') },
  { file: 'cli/ok-program.ts', code: use('../engine/program.ts') },
  { file: 'labs/ok-package.ts', code: use('yaml') },
  { file: 'doctor/ok-run.ts', code: use('../labs/run.ts') },
  { file: 'config/ok-lib.ts', code: use('../lib/ok-node.ts') },
  { file: 'bootstrap.ts', code: 'export const used = process.env;\n' },
  { file: 'main.ts', code: 'process.exit(1);\n' },
  { file: 'engine/main.ts', code: 'process.exit(1);\n' },
  { file: 'cli/ok-exit.ts', code: 'process.exit(1);\n' },
];

interface Diagnostic {
  readonly message: string;
  readonly code: string;
  readonly help?: string;
  readonly filename: string;
}

const root = temporaryDirectory();

/** Everything that the linter says of a directory with these files, by the project's own rules. */
async function lint(name: string, plants: readonly Plant[]): Promise<readonly Diagnostic[]> {
  const directory = path.join(root, name);
  for (const { file, code } of plants) {
    const target = path.join(directory, 'src', file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'scripts/lint'])
    await cp(path.join(repoRoot, file), path.join(directory, file), { recursive: true });
  const modules = path.join(repoRoot, 'node_modules');
  const program = path.join(modules, 'oxlint', 'bin', 'oxlint');
  // Where it finds its part that knows types: npm has that on PATH, who starts Jest by its own path has not.
  const PATH = `${path.join(modules, '.bin')}:${process.env['PATH']}`;
  const run = promisify(execFile)(process.execPath, [program, '--format', 'json', 'src'], {
    cwd: directory,
    env: { ...process.env, PATH },
    maxBuffer: 16 * 1024 * 1024,
  });
  // It exits with 1 whenever it objects to something.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
}

let diagnostics: readonly Diagnostic[] = [];

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
  const partner = use('./p-cycle-a.ts').replace('thing', 'thing2').replace('thing;', 'thing2;');
  diagnostics = await lint('cases', [
    ...forbidden,
    ...allowed,
    { file: 'jobs/p-cycle-b.ts', code: partner },
    { file: 'jobs/job.ts', code: 'export const thing = 1;\n' },
  ]);
});

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

/** One forbidden import in each folder of src and in each file that lies directly there, as they are on disk. */
async function plantsEverywhere(): Promise<Plant[]> {
  const source = path.join(repoRoot, 'src');
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => ({ entry, at: path.relative(source, path.join(entry.parentPath, entry.name)) }))
    .filter(({ entry, at }) => entry.isDirectory() || !at.includes('/'))
    .map(({ entry, at }) => {
      const file = entry.isDirectory() ? `${at}/p-planted.ts` : at;
      // Nobody imports the entry of the program, and that imports no job.
      const target = at === 'main.ts' ? 'jobs/job-service.ts' : 'main.ts';
      const way = path.relative(path.dirname(file), target);
      return { file, code: use(way.startsWith('.') ? way : `./${way}`), rule: imports };
    });
}

test('the linter sees a forbidden import in every folder and file of src, and says the sentence of its row', async () => {
  const plants = await plantsEverywhere();
  diagnostics = await lint('everywhere', plants);
  const silent = plants.filter((plant) => {
    const instead = rowOf(plant.file)?.instead;
    return !objectionsTo(plant).some((objection) => objection.startsWith(`${imports}: ${instead}`));
  });
  expect(silent).toEqual([]);
  expect(plants.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['cli/p-planted.ts', 'jobs/store/p-planted.ts', 'main.ts', 'bootstrap.ts']),
  );
});
