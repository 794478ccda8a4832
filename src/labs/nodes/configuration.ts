/** The running configuration of a node. */
import { AppError } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import type { ConfigurationCommand } from '../drivers/node-driver.ts';
import { startProgram, wayFailure, type NodeSession } from './node-session.ts';

/** The node has none, such as a host without a routing daemon. */
export class NoConfiguration extends AppError {
  constructor(message: string) {
    super('not-supported', message);
  }
}

interface Limits {
  readonly timeMs: number;
  readonly maxBytes: number;
}

/** A routing daemon that is busy answers late; the configuration is kept in memory until it is known to be whole. */
const usualLimits: Limits = { timeMs: 30_000, maxBytes: 8 * 1024 * 1024 };

/**
 * The whole configuration, in the words of the device. @throws AppError `not-supported` for a node without a configuration or with
 * one that is too long, `lab-not-up`, `lab-cli-timeout`, `lab-cli-failed`, and `shutting-down` when `signal` was aborted.
 */
export async function readConfiguration(
  session: NodeSession,
  { program, whyNone }: ConfigurationCommand,
  { timeMs, maxBytes }: Limits = usualLimits,
): Promise<Buffer> {
  const { node, signal } = session;
  const running = startProgram(session, program, false);
  let isLate = false;
  const stopTimer = after(timeMs, () => {
    isLate = true;
    running.stop();
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of running.output()) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else running.stop();
  }
  const [isReached, { exitCode, words }] = await Promise.all([running.begun, running.ended]);
  stopTimer();
  if (signal.aborted) throw new AppError('shutting-down', 'the service stops, and the command was ended');
  if (size > maxBytes)
    throw new AppError('not-supported', `the configuration of ${node} has more than ${maxBytes} bytes`);
  if (isLate) throw new AppError('lab-cli-timeout', `${node} did not print its configuration in time`);
  if (!isReached) throw wayFailure(node, { words });
  const printed = Buffer.concat(chunks);
  if (exitCode === 0) return printed;
  const said = `${printed.toString('utf8')}\n${words}`;
  const none = whyNone?.(said);
  if (none !== undefined) throw new NoConfiguration(none);
  throw wayFailure(node, { words: said }, `the configuration of ${node} cannot be read`);
}
