/**
 * The arguments and the variables that a process was started with stay in its memory as the kernel has put them there, and
 * `/proc/PID/cmdline` and `/proc/PID/environ` show that memory to every process of the same user, whatever the process has
 * unset meanwhile (proc(5)). It is memory of its own, so it can write over it: through `/proc/self/mem`.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

interface StartSecrets {
  /** The environment of the process; the variables are removed from it as well. */
  readonly env: Record<string, string | undefined>;
  /** Variables with secret values. */
  readonly variables: readonly string[];
  /** Options with secret values, such as `--password`. */
  readonly options: readonly string[];
}

/** Where something is in the memory of this process. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Fields 48 to 51 of `/proc/self/stat`: where the arguments begin and end, and the variables. */
function blocks(): { readonly args: Range; readonly env: Range } {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the program, in parentheses, may have spaces in it. Behind it comes the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start = 0, middle = 0, from = 0, end = 0] = fields.slice(45, 49).map(Number);
  return { args: { start, end: middle }, env: { start: from, end } };
}

/** The texts of a block, each with its place; a NUL ends each. */
function textsIn(memory: number, { start, end }: Range): { readonly text: string; readonly start: number }[] {
  const bytes = Buffer.alloc(end - start);
  readSync(memory, bytes, 0, bytes.length, start);
  let at = start;
  // One character for each byte.
  return bytes
    .toString('latin1')
    .split('\0')
    .map((text) => {
      const found = { text, start: at };
      at += text.length + 1;
      return found;
    });
}

/** The part of a text behind `name=`, for one of the names. */
function valueIn({ text, start }: { text: string; start: number }, names: readonly string[]): Range[] {
  const name = names.find((each) => text.startsWith(`${each}=`));
  return name === undefined ? [] : [{ start: start + name.length + 1, end: start + text.length }];
}

function secretsIn(memory: number, { variables, options }: StartSecrets): Range[] {
  const { args, env } = blocks();
  const words = textsIn(memory, args);
  const inArguments = words.flatMap((word, at) =>
    options.includes(words[at - 1]?.text ?? '')
      ? [{ start: word.start, end: word.start + word.text.length }]
      : valueIn(word, options),
  );
  return [...inArguments, ...textsIn(memory, env).flatMap((text) => valueIn(text, variables))];
}

/**
 * Writes `*` over the values of these variables and options, and removes the variables from `env`. Values that the
 * caller has read already stay with the caller.
 * @throws Error where there is no such memory, or it may not be written; `env` is without the variables then too.
 */
export function eraseStartSecrets(secrets: StartSecrets): void {
  // First: unsetenv(3) removes the pointers, so that no code reads the overwritten values.
  for (const name of secrets.variables) delete secrets.env[name];
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const { start, end } of secretsIn(memory, secrets))
      writeSync(memory, Buffer.alloc(end - start, '*'), 0, end - start, start);
  } finally {
    closeSync(memory);
  }
}
