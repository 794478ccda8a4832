/** A terminal of this machine, as script(1) makes one, for commands that need to be typed at. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.ts';
import { requirement } from './requirements.ts';
import { bareShell } from './remote-lab.ts';

const { file, missing } = requirement('script');
export const terminalMissing = missing;

export class TerminalHere {
  readonly #child;
  readonly ended: Promise<number | null>;
  #printed = '';

  /** Runs a line of sh(1). */
  constructor(line: string, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(file, ['-qefc', line, '/dev/null'], {
      env: { ...bareShell, SHELL: '/bin/sh', ...env },
      stdio: 'pipe',
    });
    // A character may arrive in two chunks.
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => (this.#printed += chunk));
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  get printed(): string {
    return this.#printed;
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    try {
      return await eventually(
        `the terminal prints ${pattern}`,
        () => pattern.exec(this.#printed) ?? undefined,
      );
    } catch (error) {
      throw new Error(`it printed: ${JSON.stringify(this.#printed)}`, { cause: error });
    }
  }
}
