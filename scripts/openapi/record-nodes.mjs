/** Examples of what is asked of a node. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What `tc` says of an interface with the impairment of the example: not every kernel can make one. */
const netem = [
  {
    kind: 'netem',
    root: true,
    options: { delay: { delay: 0.05, jitter: 0.005 }, 'loss-random': { loss: 0.01 } },
  },
];

/**
 * A directory for the PATH of a service, with a `tc` that only says that it has done everything.
 *
 * @param {string} ground
 */
export function playedPrograms(ground) {
  const directory = path.join(ground, 'programs');
  mkdirSync(directory);
  const script = `#!/bin/sh\ncase "$*" in *show*) echo '${JSON.stringify(netem)}' ;; esac\n`;
  writeFileSync(path.join(directory, 'tc'), script, { mode: 0o755 });
  return directory;
}

/**
 * @param {{ ask: (call: string, options?: { as?: string, body?: unknown }) => Promise<unknown> }} recorder
 * @param {number} instance of a lab that is up
 */
export async function recordNodes(recorder, instance) {
  const node = `/labs/${instance}/nodes/h1`;
  const impairment = `${node}/interfaces/eth1/impairment`;
  const body = { command: ['ip', '-br', 'address', 'show', 'dev', 'lo'], timeoutSeconds: 10 };
  await recorder.ask(`POST ${node}/exec`, { as: 'execInNode', body });
  await recorder.ask(`PUT ${impairment}`, {
    as: 'putImpairment',
    body: { delayMs: 50, jitterMs: 5, lossPercent: 1 },
  });
  await recorder.ask(`GET ${impairment}`, { as: 'getImpairment' });
  await recorder.ask(`DELETE ${impairment}`, { as: 'removeImpairment' });
  await recorder.ask(`GET /labs/${instance}/nodes/nobody/log`);
  await recorder.ask(`GET ${node}/log`);
  await recorder.ask(`GET ${node}/terminal`);
  await recorder.ask(`GET ${node}/interfaces/eth9/capture`);
}
