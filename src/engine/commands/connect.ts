import type { EngineContext } from '../core/engine-context.ts';
import { execCommand } from './exec.ts';

interface ConnectOptions {
  readonly node: string;
  /** Empty for a shell. */
  readonly command: readonly string[];
  readonly instance?: string;
}

/** Runs bash if the node has it, else sh. */
const shell = ['sh', '-c', 'command -v bash >/dev/null && exec bash; exec sh'];

/** `lab connect`: a shell in a node, on the user's terminal, or a command as with `lab exec`. */
export async function connectCommand(context: EngineContext, options: ConnectOptions): Promise<number> {
  const { command } = options;
  return execCommand(context, { ...options, command: command.length === 0 ? shell : command });
}
