import type { EngineContext } from '../core/engine-context.ts';
import { execCommand } from './exec.ts';

interface CaptureOptions {
  readonly node: string;
  readonly ifname: string;
  /** For `tcpdump`; what has no option among it is a filter. */
  readonly args: readonly string[];
  readonly instance?: string;
}

/** Those of netlab (netsim/defaults/netlab.yml, capture.command_args), where no option says otherwise. */
const usualArguments = ['--immediate-mode', '-l', '-vv'];

/** `lab capture`: `tcpdump` in a node, on the caller's terminal. What it does is said on standard error: `-w -` is for packets. */
export async function captureCommand(context: EngineContext, options: CaptureOptions): Promise<number> {
  const { node, ifname, args, instance } = options;
  const hasOptions = args.some((word) => word.startsWith('-'));
  const command = ['tcpdump', '-i', ifname, ...(hasOptions ? [] : usualArguments), ...args];
  context.err(`Starting packet capture on ${node}/${ifname}: ${command.join(' ')}\n`);
  return execCommand(context, { node, command, ...(instance !== undefined && { instance }) });
}
