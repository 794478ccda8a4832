import { messageOf, systemCode } from '../lib/app-error.ts';
import type { Config } from './config.ts';

interface ListenProblem {
  readonly detail: string;
  readonly remedy: string;
}

interface Place extends Pick<Config, 'bind' | 'port'> {
  /** The setting or the flag of the port. */
  readonly portName?: string;
}

/** Why an address cannot be had, and what the administrator has to do. */
export function listenProblem(error: unknown, { bind, port, portName = '--port' }: Place): ListenProblem {
  const where = `${bind} port ${port}`;
  const otherBind = 'choose another --bind';
  const problems: Readonly<Record<string, ListenProblem>> = {
    EADDRINUSE: {
      detail: `${where} is in use by another program`,
      remedy: `stop it, or choose another ${portName}`,
    },
    EADDRNOTAVAIL: { detail: `this machine has no address ${bind}`, remedy: otherBind },
    EACCES: { detail: `${where} may not be used by this user`, remedy: `choose a ${portName} above 1023` },
    ENOTFOUND: { detail: `the name ${bind} is not known`, remedy: otherBind },
  };
  const unknown = {
    detail: `cannot listen on ${where}: ${messageOf(error)}`,
    remedy: `see --bind and ${portName}`,
  };
  return problems[systemCode(error) ?? ''] ?? unknown;
}

/** The same as one sentence. */
export function listenError(error: unknown, config: Place): Error {
  const { detail, remedy } = listenProblem(error, config);
  return new Error(`${detail}; ${remedy}`, { cause: error });
}
