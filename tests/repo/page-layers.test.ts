/** Who may import whom in the page: the code follows the table, and the linter says so where it does not. */
import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { rowOf, rows } from '../../scripts/lint/page-layers.mjs';
import { repoFiles, repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const below = 'web/dashboard/src';
const root = temporaryDirectory();

interface Plant {
  readonly file: string;
  readonly code: string;
  /** What the linter tells the reader; undefined where it is content. */
  readonly says?: RegExp;
}

const use = (specifier: string): string =>
  `import { thing } from '${specifier}';\nexport const used = thing;\n`;
const useType = (specifier: string): string =>
  `import type { Thing } from '${specifier}';\nexport interface Used extends Thing {}\n`;

const plants: readonly Plant[] = [
  { file: 'api/p-parts.ts', code: use('../parts/time.tsx'), says: /draws nothing/ },
  { file: 'api/p-type.ts', code: useType('../frame/frame.tsx'), says: /draws nothing/ },
  { file: 'parts/p-page.tsx', code: use('../pages/lab/lab-page.tsx'), says: /as a property/ },
  { file: 'parts/p-frame.ts', code: use('../frame/frame.tsx'), says: /as a property/ },
  { file: 'pages/lab/p-page.ts', code: use('../jobs/jobs-page.tsx'), says: /belongs into parts/ },
  { file: 'pages/lab/deep/p-page.ts', code: use('../../jobs/jobs-page.tsx'), says: /belongs into parts/ },
  { file: 'pages/lab/p-frame.ts', code: use('../../frame/frame.tsx'), says: /belongs into parts/ },
  { file: 'pages/lab/p-app.ts', code: use('../../app.tsx'), says: /belongs into parts/ },
  {
    file: 'pages/lab/p-lazy.ts',
    code: "export const load = async () => import('../jobs/jobs-page.tsx');\n",
    says: /belongs into parts/,
  },
  { file: 'frame/p-page.ts', code: use('../pages/lab/lab-page.tsx'), says: /around any page/ },
  { file: 'theme.ts', code: use('./parts/time.tsx'), says: /imports nothing of it/ },
  { file: 'main.tsx', code: use('./frame/frame.tsx'), says: /only starts/ },
  { file: 'rooms/p-rowless.ts', code: use('../api/live.ts'), says: /has no row/ },
  { file: 'api/p-src.ts', code: use('../../../../src/config/load-config.ts'), says: /ask the service/ },
  { file: 'pages/lab/p-src.ts', code: use('../../../../../src/labs/run.ts'), says: /ask the service/ },
  { file: 'parts/p-test.ts', code: use('../../../../tests/support/page.ts'), says: /ask the service/ },
  { file: 'api/p-node.ts', code: use('node:fs'), says: /no modules of Node/ },
  { file: 'api/ok-api.ts', code: use('./live.ts') },
  { file: 'api/ok-client.ts', code: use('../../../../src/client/service-error.ts') },
  { file: 'pages/lab/ok-shared.ts', code: use('../../../../../src/labs/picture/graph-of.ts') },
  { file: 'api/ok-type.ts', code: useType('../../../../src/labs/run.ts') },
  { file: 'parts/ok-api.ts', code: use('../api/live.ts') },
  { file: 'pages/lab/ok-own.ts', code: use('./deep/layout.ts') },
  { file: 'pages/lab/deep/ok-parts.ts', code: use('../../../parts/time.tsx') },
  { file: 'frame/ok-parts.ts', code: use('../parts/time.tsx') },
  { file: 'app.tsx', code: use('./frame/frame.tsx') },
];

interface Diagnostic {
  readonly message: string;
  readonly code: string;
  readonly filename: string;
}

/** What the linter, with the project's rules, objects to in the imports of these files. */
async function lint(): Promise<readonly Diagnostic[]> {
  for (const { file, code } of plants) {
    const target = path.join(root, below, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
  for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'scripts/lint'])
    cpSync(path.join(repoRoot, file), path.join(root, file), { recursive: true });
  const modules = path.join(repoRoot, 'node_modules');
  const program = path.join(modules, 'oxlint', 'bin', 'oxlint');
  // Where it finds its part that knows types: npm has that on PATH, who starts Jest by its own path has not.
  const PATH = `${path.join(modules, '.bin')}:${process.env['PATH']}`;
  const run = promisify(execFile)(process.execPath, [program, '--format', 'json', 'web'], {
    cwd: root,
    env: { ...process.env, PATH },
    maxBuffer: 16 * 1024 * 1024,
  });
  // It exits with 1 whenever it objects to something.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return diagnostics.filter(({ code }) => code === 'house(layers)');
}

test('the linter objects to what the table does not allow, and to nothing else', async () => {
  const found = await lint();
  const said = (file: string): string | undefined =>
    found.find(({ filename }) => filename === path.join(below, file))?.message;
  for (const { file, says } of plants) expect(`${file}: ${said(file)}`).toMatch(says ?? /: undefined$/);
});

describe('the table', () => {
  const files = repoFiles(below).map((file) => path.relative(below, file));

  test('has a row for every file that the page has', () => {
    const programs = files.filter((file) => /\.tsx?$/.test(file));
    expect(programs.length).toBeGreaterThan(20);
    expect(programs.filter((file) => rowOf(file) === undefined)).toEqual([]);
  });

  test('has arrows that run down only, and rows for what is there', () => {
    const names = rows.map(({ at }) => at);
    const rising = rows.flatMap(({ at, may }, index) =>
      may.filter((entry) => !names.slice(0, index).includes(entry)).map((entry) => `${at} -> ${entry}`),
    );
    expect(rising).toEqual([]);
    expect(names.filter((at) => !existsSync(path.join(repoRoot, below, at.replace('/*', ''))))).toEqual([]);
  });

  test('stands in the description of the code', () => {
    const page = readFileSync(path.join(repoRoot, 'docs/architecture.md'), 'utf8');
    for (const at of readdirSync(path.join(repoRoot, below)).filter((name) => !name.includes('.')))
      expect(page).toContain(`\`${at}/\``);
    expect(page).toContain('scripts/lint/page-layers.mjs');
  });
});
