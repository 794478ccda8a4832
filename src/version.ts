import { readFileSync } from 'node:fs';
import { packageFile } from './lib/files/package-root.ts';

/** The version of this program, as package.json has it. */
export const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  readonly version: string;
};
