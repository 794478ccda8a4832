/** The labs in `examples`: each directory with a topology. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './service.mjs';

const directory = path.join(root, 'examples');

/** Their paths below `examples`; `isRouted` of those with routing protocols, which are for netlab alone. */
export const exampleLabs = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'topology.yml')
  .map((file) => ({ name: path.dirname(file), text: readFileSync(path.join(directory, file), 'utf8') }))
  .map((example) => ({ ...example, isRouted: example.text.includes('provider: clab') }))
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));
