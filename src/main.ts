#!/usr/bin/env node
// Stack traces in the log of the service name the lines of src. Before anything is loaded, because Node reads a source map
// when it loads the file; for the service alone, because a short command such as `lab status` would take 8 % longer.
if (process.argv[2] === 'api') process.setSourceMapsEnabled(true);

const { createProgram } = await import('./cli/program.ts');
await createProgram().parseAsync();
