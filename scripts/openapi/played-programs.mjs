/** Programs that the recorded service finds in place of those of the machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The output of `tc` for an interface with the impairment of the example, which not every kernel supports. */
const netem = [
  {
    kind: 'netem',
    root: true,
    options: { delay: { delay: 0.05, jitter: 0.005 }, 'loss-random': { loss: 0.01 } },
  },
];

/**
 * A directory for the PATH of a service, with a `tc` that does nothing and reports success.
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
