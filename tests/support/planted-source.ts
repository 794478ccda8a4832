/** A copy of the sources in which a test plants something new, to see what that takes. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from './repo-files.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const fixtures = path.join(repoRoot, 'tests', 'fixtures', 'planted');

/** Absolute path below tests/fixtures/planted. */
export const plantedFixture = (...names: readonly string[]): string => path.join(fixtures, ...names);

export class PlantedSource {
  readonly #root = temporaryDirectory();

  constructor() {
    for (const name of ['package.json', 'tsconfig.json', 'tsconfig.build.json'])
      copyFileSync(path.join(repoRoot, name), path.join(this.#root, name));
    cpSync(path.join(repoRoot, 'src'), path.join(this.#root, 'src'), { recursive: true });
    symlinkSync(path.join(repoRoot, 'node_modules'), path.join(this.#root, 'node_modules'));
  }

  /** A new file below `src`, from one of tests/fixtures/planted. */
  addFile(file: string, ...fixture: readonly string[]): void {
    const target = path.join(this.#root, 'src', file);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(plantedFixture(...fixture), target);
  }

  /** Puts `text` before the first place in a file below `src` where `mark` stands. */
  insertBefore(file: string, mark: string, text: string): void {
    const target = path.join(this.#root, 'src', file);
    const [before, ...after] = readFileSync(target, 'utf8').split(mark);
    if (after.length === 0) throw new Error(`there is no ${JSON.stringify(mark)} in ${file}`);
    writeFileSync(target, [`${before}${text}`, ...after].join(mark));
  }

  /** Checks the types and builds. Gives the program, or what the compiler says against it. */
  build(): { readonly program: string; readonly problems: string } {
    const compiler = path.join(repoRoot, 'node_modules', '.bin', 'tsc');
    const args = [compiler, '-p', 'tsconfig.build.json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: this.#root, encoding: 'utf8' });
    const problems = `${stdout}${stderr}`.trim();
    return { program: path.join(this.#root, 'dist', 'main.js'), problems };
  }
}
