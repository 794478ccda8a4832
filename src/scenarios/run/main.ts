#!/usr/bin/env node
/** The program of a scenario job: the socket of the service is its argument, and LAB_JOB_ID says which job it is. */
import { setMaxListeners } from 'node:events';
import { perform } from './perform.ts';
import { ServiceLink } from './service-link.ts';

const canceled = new AbortController();
setMaxListeners(0, canceled.signal);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => canceled.abort());
// The log may be on a disk that is full: the faults are healed all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [file = ''] = process.argv.slice(2);
const link = new ServiceLink(file, process.env['LAB_JOB_ID'] ?? '');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
process.exitCode = await perform({ link, canceled: canceled.signal, say });
