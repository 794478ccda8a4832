import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isFresh } from '../../scripts/lib/freshness.mjs';

interface JestConfig {
  readonly rootDir: string;
}

/** What the compiler objects to; undefined when it is content. */
function build(rootDir: string): string | undefined {
  try {
    // `--file-by-file`: another run of the tests may use the program right now, and every file of it stays where it is
    // until its successor takes its place in one step. `npm run build` moves the whole directory away for a moment.
    execFileSync(process.execPath, [path.join('scripts', 'build.mjs'), '--file-by-file'], {
      cwd: rootDir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return undefined;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ''}${stderr ?? ''}`.trim() || String(error);
  }
}

/** Jest's global setup: the tests in tests/e2e run the built program, so there must be one, and a recent one. */
export default function buildOnce(_globalConfig: unknown, { rootDir }: JestConfig): void {
  if (isFresh(rootDir)) return;
  const program = path.join(rootDir, 'dist', 'main.js');
  const problems = build(rootDir);
  if (!existsSync(program))
    throw new Error(`There is no program to test; the compiler says:\n${problems ?? 'nothing'}`);
  // There are type errors, and a program all the same: they are for `npm run typecheck` to fail on.
  if (problems !== undefined) process.stderr.write(`The program under test has type errors:\n${problems}\n`);
}
