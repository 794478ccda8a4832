/** Secrets that a test gives a service, to look for them everywhere afterwards. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processesWith } from './environments.ts';

/** A text that is nowhere by chance. */
export function canary(): string {
  return `canary${randomBytes(16).toString('hex')}`;
}

/** The text, and what is left of it when it is put into base64 behind any other text, into hexadecimal, or into a URL. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(' '.repeat(shift) + secret).toString('base64');
    // The first and the last characters have bits of what is beside it.
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
  return [secret, ...base64, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
}

/** The names of the secrets that are in a text, in any form. */
export function secretsIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

/** Every file below a directory, by its path there. */
export function filesBelow(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => lstatSync(path.join(directory, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(path.join(directory, name)).toString('latin1')]),
  );
}

/** What every process of the same user can read of one: its arguments and its first environment. */
export function startOf(pid: number): string {
  const part = (name: string): string =>
    readFileSync(`/proc/${pid}/${name}`, 'latin1').replaceAll('\0', '\n');
  return `${part('cmdline')}\n${part('environ')}`;
}

/** The same of all processes that have this assignment in their environment, by pid. One that ends meanwhile is left out. */
export function startsOf(assignment: string): Record<string, string> {
  const starts = processesWith(assignment).flatMap((pid) => {
    try {
      return [[`process ${pid}`, startOf(pid)] as const];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The process is gone (proc(5)): as a whole, or just its memory.
      if (code === 'ENOENT' || code === 'ESRCH') return [];
      throw error;
    }
  });
  return Object.fromEntries(starts);
}
