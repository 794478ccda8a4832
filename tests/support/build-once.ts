import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';

interface JestConfig {
  readonly rootDir: string;
}

/** Changed last, of the file or of everything below the directory; 0 when there is no such thing. */
function newestChangeMs(file: string): number {
  if (!existsSync(file)) return 0;
  const entry = statSync(file);
  if (!entry.isDirectory()) return entry.mtimeMs;
  // A directory's own time counts too: that is where a deleted file shows.
  return Math.max(entry.mtimeMs, ...readdirSync(file).map((name) => newestChangeMs(path.join(file, name))));
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
  const sources = ['src', 'web', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
  const changedMs = Math.max(...sources.map((name) => newestChangeMs(path.join(rootDir, name))));
  const program = path.join(rootDir, 'dist', 'main.js');
  if (newestChangeMs(program) >= changedMs) return;
  const problems = build(rootDir);
  if (!existsSync(program))
    throw new Error(`There is no program to test; the compiler says:\n${problems ?? 'nothing'}`);
  // There are type errors, and a program all the same: they are for `npm run typecheck` to fail on.
  if (problems !== undefined) process.stderr.write(`The program under test has type errors:\n${problems}\n`);
  utimesSync(program, new Date(), new Date());
}
