/** A thread that reads YAML: thousands of files, or a large one, would keep the event loop of the service for seconds. */
import { parentPort } from 'node:worker_threads';
import { parsedYaml } from './parsed-yaml.ts';

/** What became of a text: its value, or what the parser says. */
export type ReadYaml = { readonly value: unknown } | { readonly problem: string };

async function read(text: string): Promise<ReadYaml> {
  try {
    return { value: await parsedYaml(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (texts: readonly string[]) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  void Promise.all(texts.map(read)).then((answer) => parentPort?.postMessage(answer));
});
