import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

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
