import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** An assistant, as the SDK of the protocol has it. */
export class Assistant {
  readonly client = new Client({ name: 'tests', version: '1' });

  async connect(transport: Transport): Promise<this> {
    await this.client.connect(transport);
    return this;
  }

  /** The texts of a tool's answer, one after the other, and whether it has failed. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    const texts = (content as { text: string }[]).map(({ text }) => text);
    return { text: texts.join('\n'), isError: isError === true };
  }

  /** The same, when it is to work. */
  async tell(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name} has failed: ${text}`);
    return text;
  }
}

/** The id of the job that a tool tells of. */
export function jobIn(text: string): string {
  const [id] = /job-\d+-[0-9a-f]{6}/.exec(text) ?? [];
  if (id === undefined) throw new Error(`no job is told of: ${text}`);
  return id;
}
