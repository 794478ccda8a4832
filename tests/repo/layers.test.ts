/** The tables of scripts/lib/layers.mjs, and what the linters refuse because of them: forbidden imports are planted in a copy. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packages, pageRooms, rooms } from '../../scripts/lib/layers.mjs';
import { repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Plant {
  readonly file: string;
  readonly code: string;
  /** What the message tells the reader to do; undefined where the code is allowed. */
  readonly says?: string;
}

const use = (specifier: string): string =>
  `import { thing } from '${specifier}';\nexport const used = thing;\n`;
const useType = (specifier: string): string =>
  `import type { Thing } from '${specifier}';\nexport interface Used extends Thing {}\n`;

const page = 'web/dashboard/src';

const imports: readonly Plant[] = [
  // Rooms of src, and the rooms inside them.
  { file: 'src/jobs/p-http.ts', code: use('../http/app.ts'), says: 'let src/service pass it in' },
  {
    file: 'src/lib/text/p-labs.ts',
    code: use('../../labs/system/run.ts'),
    says: 'knows nothing of the product',
  },
  { file: 'src/jobs/store/p-run.ts', code: use('../run/process.ts'), says: 'model, store, log, run' },
  { file: 'src/jobs/run/p-labs.ts', code: use('../../labs/system/run.ts'), says: 'labs/model' },
  { file: 'src/engine/core/p-state.ts', code: use('../state/state.ts'), says: 'into a lower one' },
  { file: 'src/http/routers/p-view.ts', code: use('../../jobs/view/job-view.ts'), says: 'the ports of jobs' },
  { file: 'src/http/reply/p-router.ts', code: use('../routers/jobs.ts'), says: 'from the bottom to the top' },
  { file: 'src/cluster/p-labs.ts', code: use('../labs/labs.ts'), says: 'of jobs only job-service.ts' },
  {
    file: 'src/labs/drivers/netlab/p-engine.ts',
    code: use('../engine/engine.ts'),
    says: 'does not know the other drivers',
  },
  { file: 'src/labs/status/p-drivers.ts', code: use('../drivers/drivers.ts'), says: 'labs and lib only' },
  { file: 'src/new-room/p-rowless.ts', code: use('../lib/logger.ts'), says: 'add a row for its folder' },
  // Ways of importing.
  { file: 'src/jobs/p-type.ts', code: useType('../config/config.ts'), says: 'as a parameter' },
  {
    file: 'src/jobs/p-inline-type.ts',
    code: "export type Thing = import('../http/app.ts').Thing;\n",
    says: 'service',
  },
  {
    file: 'src/jobs/p-dynamic.ts',
    code: "export const load = () => import('../http/app.ts');\n",
    says: 'service',
  },
  { file: 'src/jobs/p-reexport.ts', code: "export { thing } from '../http/app.ts';\n", says: 'service' },
  { file: 'src/jobs/p-all.ts', code: "export * from '../http/app.ts';\n", says: 'service' },
  // Packages, Node, and what lies outside src.
  { file: 'src/jobs/p-express-type.ts', code: useType('express'), says: 'src/http only' },
  { file: 'src/jobs/p-deep.ts', code: use('prom-client/index.js'), says: 'src/metrics only' },
  { file: 'src/lib/p-package.ts', code: use('yaml'), says: 'Node and its own files only' },
  { file: 'src/engine/lab/p-child.ts', code: use('child_process'), says: 'engine/system' },
  { file: 'src/p-tests.ts', code: use('../tests/p-support.ts'), says: 'never imports tests' },
  { file: 'src/cli/p-page.ts', code: use(`../../${page}/theme.ts`), says: 'never imports tests' },
  { file: 'src/http/ok-express.ts', code: use('express') },
  { file: 'src/http/routers/ok-port.ts', code: use('../../jobs/job-service.ts') },
  { file: 'src/jobs/ok-actions.ts', code: use('../labs/model/actions.ts') },
  { file: 'src/lib/ok-node.ts', code: use('node:fs/promises') },
  { file: 'src/engine/system/ok-child.ts', code: use('node:child_process') },
  { file: 'src/labs/drivers/engine/ok-language.ts', code: use('../netlab-language/arguments.ts') },
  { file: 'src/cli/ok-program.ts', code: use('../engine/program.ts') },
  // The page.
  { file: `${page}/api/p-parts.ts`, code: use('../parts/time.tsx'), says: 'draws nothing' },
  { file: `${page}/api/p-type.ts`, code: useType('../frame/frame.tsx'), says: 'draws nothing' },
  { file: `${page}/pages/lab/p-page.ts`, code: use('../jobs/jobs-page.tsx'), says: 'into parts' },
  { file: `${page}/pages/lab/picture/p-page.ts`, code: use('../../jobs/jobs-page.tsx'), says: 'into parts' },
  {
    file: `${page}/pages/lab/p-lazy.ts`,
    code: "export const load = () => import('../jobs/jobs-page.tsx');\n",
    says: 'into parts',
  },
  { file: `${page}/new-room/p-rowless.ts`, code: use('../api/live.ts'), says: 'add a row for its folder' },
  {
    file: `${page}/parts/p-src.ts`,
    code: use('../../../../src/labs/system/run.ts'),
    says: 'ask the service',
  },
  { file: `${page}/parts/p-test.ts`, code: use('../../../../tests/p-support.ts'), says: 'ask the service' },
  { file: `${page}/api/p-node.ts`, code: use('node:fs'), says: 'no modules of Node' },
  { file: `${page}/api/ok-type.ts`, code: useType('../../../../src/labs/system/run.ts') },
  { file: `${page}/api/ok-client.ts`, code: use('../../../../src/client/service-error.ts') },
  { file: `${page}/pages/lab/ok-own.ts`, code: use('./picture/graph.ts') },
  { file: `${page}/pages/lab/picture/ok-parts.ts`, code: use('../../../parts/time.tsx') },
];

/** The first name that a pattern of packages fits: `express` for `(@types/)?(express|helmet)`. */
const firstName = (pattern: string): string =>
  pattern.replaceAll(/\([^)]*\)\?/g, '').replace(/^\(([^|]*).*$/, '$1');

const everyPackage: readonly Plant[] = packages.map(({ name, instead }, index) => ({
  file: `src/config/p-package-${index}.ts`,
  code: use(firstName(name)),
  says: instead,
}));

/** In each room, an import of the room at the top; in that one, an import of the lowest. */
const everyRoom = [
  ...Object.keys(rooms).map((room) => ({ base: 'src', room, top: 'main.ts' })),
  ...Object.keys(pageRooms).map((room) => ({ base: page, room, top: 'main.tsx' })),
].map(({ base, room, top }) => {
  const file = room.includes('.') ? room : `${room.replace('*', 'lab')}/p-planted.ts`;
  const way = path.relative(path.dirname(file), file === top ? 'new-room/p-target.ts' : top);
  return {
    rule: `${base}/${room}`,
    file: `${base}/${file}`,
    code: use(way.startsWith('.') ? way : `./${way}`),
  };
});

const root = temporaryDirectory();

function write(file: string, code: string): void {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, code);
}

/** A project with the rules of this one, these files, and the files that they import. */
function plant(files: readonly { readonly file: string; readonly code: string }[]): void {
  for (const { file, code } of files) {
    const target = /'(\.[^']*)'/.exec(code)?.[1];
    if (target !== undefined) write(path.join(path.dirname(file), target), 'export const thing = 1;\n');
  }
  for (const { file, code } of files) write(file, code);
}

/** Standard output of a development tool; the linters end with 1 when they refuse something. */
async function output(tool: string, ...parameters: string[]): Promise<unknown> {
  const modules = path.join(repoRoot, 'node_modules');
  // oxlint looks for its part that knows types on PATH.
  const env = { ...process.env, PATH: `${path.join(modules, '.bin')}:${process.env['PATH']}` };
  const run = promisify(execFile)(path.join(modules, '.bin', tool), parameters, {
    cwd: root,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return JSON.parse(stdout);
}

beforeAll(() => {
  for (const file of [
    '.dependency-cruiser.mjs',
    '.oxlintrc.json',
    'package.json',
    'scripts/lib/layers.mjs',
    'tsconfig.json',
  ])
    cpSync(path.join(repoRoot, file), path.join(root, file));
  symlinkSync(path.join(repoRoot, 'node_modules'), path.join(root, 'node_modules'));
});

interface Cruise {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
    readonly ruleSetUsed: {
      readonly forbidden: readonly { readonly name: string; readonly comment: string }[];
    };
  };
}

describe('dependency-cruiser', () => {
  const plants = [...imports, ...everyPackage];
  let cruise: Cruise['summary'];

  beforeAll(async () => {
    plant([...plants, ...everyRoom]);
    const files = [...plants, ...everyRoom].map(({ file }) => file);
    cruise = ((await output('depcruise', '--output-type', 'json', ...files)) as Cruise).summary;
  });

  /** The names of the rules that a file breaks. */
  const brokenBy = (file: string): string[] =>
    cruise.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

  const commentsTo = (file: string): string[] =>
    brokenBy(file).map((name) => cruise.ruleSetUsed.forbidden.find((rule) => rule.name === name)!.comment);

  test.each(plants.filter(({ says }) => says !== undefined))(
    'refuses the import of $file',
    ({ file, says }) => {
      expect(commentsTo(file).join('\n')).toContain(says);
    },
  );

  test.each(plants.filter(({ says }) => says === undefined))('allows the import of $file', ({ file }) => {
    expect(brokenBy(file)).toEqual([]);
  });

  test('refuses an import in every room, and says the sentence of its row', () => {
    expect(everyRoom.filter(({ file, rule }) => !brokenBy(file).includes(rule))).toEqual([]);
    expect(cruise.ruleSetUsed.forbidden.filter(({ comment }) => !comment)).toEqual([]);
  });
});

const properties = 'eslint(no-restricted-properties)';
const forOxlint = [
  { file: 'src/labs/p-env.ts', code: 'export const used = process.env;\n', rule: properties },
  { file: 'src/jobs/p-env.ts', code: "export const used = process['env'];\n", rule: properties },
  { file: 'src/http/p-exit.ts', code: 'process.exit(1);\n', rule: properties },
  { file: 'src/jobs/p-cycle-a.ts', code: "import './p-cycle-b.ts';\n", rule: 'import(no-cycle)' },
  { file: 'src/jobs/p-cycle-b.ts', code: "import './p-cycle-a.ts';\n", rule: 'import(no-cycle)' },
  { file: 'src/jobs/p-default.ts', code: 'export default 1;\n', rule: 'import(no-default-export)' },
  { file: 'src/jobs/p-barrel.ts', code: "export * from './job-service.ts';\n", rule: 'oxc(no-barrel-file)' },
  { file: 'src/bootstrap.ts', code: 'export const used = process.env;\n' },
  { file: 'src/engine/main.ts', code: 'process.exit(1);\n' },
  { file: 'src/cli/ok-exit.ts', code: 'process.exit(1);\n' },
];

describe('oxlint', () => {
  let found: readonly { readonly code: string; readonly filename: string }[];

  beforeAll(async () => {
    plant(forOxlint);
    const files = forOxlint.map(({ file }) => file);
    found = ((await output('oxlint', '--format', 'json', ...files)) as { diagnostics: typeof found })
      .diagnostics;
  });

  test.each(forOxlint)('judges $file', ({ file, rule }) => {
    const rules = new Set(forOxlint.map((each) => each.rule));
    const codes = found.filter(({ filename, code }) => filename === file && rules.has(code));
    expect(codes.map(({ code }) => code)).toEqual(rule === undefined ? [] : [rule]);
  });
});

describe.each([
  { base: 'src', table: rooms },
  { base: page, table: pageRooms },
])('the table of $base', ({ base, table }) => {
  const names = Object.keys(table);
  const arrows = Object.entries(table).flatMap(([room, may]) =>
    may
      .split(' ')
      .filter((entry) => entry !== '')
      .map((entry) => ({ room, entry: entry.replace('/**', '') })),
  );

  test('names rooms and files that exist', () => {
    const all = [...names, ...arrows.map(({ entry }) => entry)].map((entry) => entry.replace('/*', ''));
    expect(all.filter((entry) => !existsSync(path.join(repoRoot, base, entry)))).toEqual([]);
  });

  test('has arrows that run down only', () => {
    const heightOf = (entry: string): number =>
      names.includes(entry) ? names.indexOf(entry) : names.indexOf(path.dirname(entry));
    expect(arrows.filter(({ room, entry }) => heightOf(entry) >= names.indexOf(room))).toEqual([]);
    expect(arrows.filter(({ entry }) => heightOf(entry) === -1)).toEqual([]);
  });
});
