// The built service with a probe: at SIGUSR2 it writes its memory after a collection of garbage, and its timers, to the file SOAK_PROBE.
import { renameSync, writeFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';

const file = process.env['SOAK_PROBE'] ?? '';
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  const countOf = (/** @type {string} */ kind) => resources.filter((each) => each === kind).length;
  const probe = {
    heap: process.memoryUsage().heapUsed,
    timers: countOf('Timeout'),
    resources: resources.length,
  };
  writeFileSync(`${file}.new`, JSON.stringify(probe));
  renameSync(`${file}.new`, file);
});

await import(new URL('../../dist/main.js', import.meta.url).href);
