/** Answers AI assistants as clients of the service itself; the code for that is loaded when the first one comes. */
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { McpAnswer, McpCall } from '../mcp/answer-mcp.ts';
import { version } from '../version.ts';

/** `url` is that of the service, once it listens. */
export function createMcp(url: () => string, log: Logger): (call: McpCall) => Promise<McpAnswer> {
  const onFault = (tool: string, error: unknown): void =>
    log.warn('a tool for assistants has failed', { tool, cause: messageOf(error) });
  return async (call) => {
    const { answerMcp } = await import('../mcp/answer-mcp.ts');
    return answerMcp(call, { url: url(), version, onFault });
  };
}
