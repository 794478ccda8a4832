#!/usr/bin/env node
import { systemCode } from './lib/app-error.ts';
import { showSourcePositions } from './lib/text/source-positions.ts';

showSourcePositions();
try {
  const { createProgram } = await import('./cli/program.ts');
  await createProgram().parseAsync();
} catch (error) {
  if (systemCode(error) !== 'EMFILE') throw error;
  // The modules alone are a few hundred files.
  process.stderr.write('lab: too few files may be open at once to start: raise the limit (ulimit -n)\n');
  process.exitCode = 1;
}
