import { existsSync } from 'node:fs';
import path from 'node:path';
import { exampleLabs } from '../../scripts/lib/examples.mjs';
import { missingForLabs } from './engine-cli.ts';
import { requirement } from './requirements.ts';

const all = exampleLabs.map((example) => ({ ...example, directory: path.join('examples', example.name) }));

/** The labs with routing protocols, which are for netlab alone. */
export const routedExamples = all.filter(({ isRouted }) => isRouted);

/** The labs that the bundled engine runs as well. */
export const plainExamples = all.filter(({ isRouted }) => !isRouted);

/** Why netlab cannot run the routed examples here, in namespaces; undefined when it can. */
export function missingForRoutedLabs(): string | undefined {
  return (
    missingForLabs() ??
    (process.getuid?.() === 0 ? undefined : 'needs root') ??
    requirement('netlab').missing ??
    (existsSync('/usr/lib/frr/frrinit.sh') ? undefined : 'FRR is not there')
  );
}
