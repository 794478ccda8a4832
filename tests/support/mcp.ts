import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as z from 'zod';
import type { Tool } from '../../src/mcp/tool.ts';

/** An assistant, as the SDK of the protocol has it. */
export class Assistant {
  readonly client = new Client({ name: 'tests', version: '1' });

  async connect(transport: Transport): Promise<this> {
    await this.client.connect(transport);
    return this;
  }

  /** The texts of a tool's answer, one after the other, and whether it has failed. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    signal?: AbortSignal,
  ): Promise<{ text: string; isError: boolean }> {
    const call = { name, arguments: args };
    const { content, isError } = await this.client.callTool(call, undefined, signal && { signal });
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

/** The text between the marks of an answer. */
export function textIn(text: string): string {
  const [, data] = /<data \w+>\n([^]*)\n<\/data/.exec(text) ?? [];
  if (data === undefined) throw new Error(`there is no data: ${text}`);
  return data;
}

/** The data between the marks of an answer. */
export const dataIn = (text: string): unknown => JSON.parse(textIn(text));

/** Values for the inputs without which a tool does not run. */
const samples: Readonly<Record<string, unknown>> = {
  action: 'config',
  command: ['true'],
  content: 'text',
  interface: 'eth1',
  job: 'job-1-000000',
  kind: 'down',
  lab: 'default',
  name: 'nothing',
  node: 'r1',
  nodes: ['r1'],
  owner: 'ann',
  path: 'a/b.txt',
  q: '10.0.0.1',
  shares: [],
  target: 'r1',
  topology: 'nodes: [r1]',
  ttlSeconds: 60,
  with: 'nothing',
  workspace: 'nothing',
};

/** A call of a tool that its own schema takes, with as little as can be. */
export function sampleCall({ input, name }: Tool): Record<string, unknown> {
  const needed = Object.entries(input).filter(([, schema]) => !z.safeParse(schema, undefined).success);
  const given = needed.map(([key]) => [
    key,
    key === 'action' && name === 'switch_nodes' ? 'stop-nodes' : samples[key],
  ]);
  return Object.fromEntries(given) as Record<string, unknown>;
}
