#!/usr/bin/env node
import { systemCode } from './lib/app-error.ts';
import { showSourcePositions } from './lib/text/source-positions.ts';

showSourcePositions();
try {
  const { createProgram } = await import('./cli/program.ts');
  await createProgram().parseAsync();
} catch (error) {
  // The modules alone are a few hundred files.
  if (systemCode(error) === 'EMFILE')
    process.stderr.write('lab: too few files may be open at once to start: raise the limit (ulimit -n)\n');
  // The modules of an older Node lack what ours import.
  else if (error instanceof SyntaxError && error.message.includes('does not provide an export'))
    process.stderr.write(`lab: Node.js ${process.version} is too old: install version 20.19 or newer\n`);
  else throw error;
  process.exitCode = 1;
}
