#!/usr/bin/env node
import { createProgram } from './cli/program.ts';
import { showSourcePositions } from './lib/source-positions.ts';

showSourcePositions();
await createProgram().parseAsync();
