import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { missingForLabs } from './engine-cli.ts';
import { requirement } from './requirements.ts';

const all = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'topology.yml')
  .map((file) => ({
    directory: path.join('examples', path.dirname(file)),
    file: path.join('examples', file),
  }))
  .map((example) => ({ ...example, text: readFileSync(example.file, 'utf8') }));

const isRouted = ({ text }: { readonly text: string }): boolean => text.includes('provider: clab');

/** The labs with routing protocols, which are for netlab alone. */
export const routedExamples = all.filter(isRouted);

/** The labs that the bundled engine runs as well. */
export const plainExamples = all.filter((example) => !isRouted(example));

/** Why netlab cannot run the routed examples here, in namespaces; undefined when it can. */
export function missingForRoutedLabs(): string | undefined {
  return (
    missingForLabs() ??
    (process.getuid?.() === 0 ? undefined : 'needs root') ??
    requirement('netlab').missing ??
    (existsSync('/usr/lib/frr/frrinit.sh') ? undefined : 'FRR is not there')
  );
}
