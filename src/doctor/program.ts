import { runCaptured, type RunResult } from '../labs/system/run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Docker and D-Bus may hang when what is behind them does. */
const timeoutMs = 20_000;

/** Runs a small program that tells something of this machine. Never throws; `spawnError` when it is not there. */
export async function ask(
  file: string,
  args: readonly string[],
  { env, words = [] }: { readonly env: Environment; readonly words?: readonly string[] },
): Promise<RunResult> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return runCaptured(file, args, { env: { ...Object.fromEntries(entries), LC_ALL: 'C' }, timeoutMs, words });
}

/** The first line of what it printed when it failed, or why it could not be started. */
export function complaint({ stderr, stdout, spawnError, ended }: RunResult): string {
  const lines = `${stderr.toString('utf8')}\n${stdout.toString('utf8')}`
    .split('\n')
    .map((line) => line.trim());
  const fallback = ended === 'timeout' ? 'it did not answer in time' : 'it does not say why';
  return spawnError ?? lines.find((line) => line !== '') ?? fallback;
}
