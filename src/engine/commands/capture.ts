import type { EngineContext } from '../core/engine-context.ts';
import { execCommand } from './exec.ts';

interface CaptureOptions {
  readonly node: string;
  readonly ifname: string;
  /** Arguments for `tcpdump`; if none of them is an option, they are a filter. */
  readonly args: readonly string[];
  readonly instance?: string;
}

/** The defaults of netlab (netsim/defaults/netlab.yml, capture.command_args), used if no option is given. */
const usualArguments = ['--immediate-mode', '-l', '-vv'];

/**
 * `lab capture`: `tcpdump` in a node, on the user's terminal. Messages go to standard error, because `-w -` writes
 * packets to standard output.
 */
export async function captureCommand(context: EngineContext, options: CaptureOptions): Promise<number> {
  const { node, ifname, args, instance } = options;
  const hasOptions = args.some((word) => word.startsWith('-'));
  const command = ['tcpdump', '-i', ifname, ...(hasOptions ? [] : usualArguments), ...args];
  context.err(`Starting packet capture on ${node}/${ifname}: ${command.join(' ')}\n`);
  return execCommand(context, { node, command, ...(instance !== undefined && { instance }) });
}
