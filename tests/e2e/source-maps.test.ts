/** Where the built service fails, its stack traces name the lines that people wrote. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Loaded before the program: fails where the service begins to listen. */
const preload = `data:text/javascript,import net from 'node:net'; net.Server.prototype.listen = () => {
  process.stderr.write(new Error('no listening today').stack);
  process.exit(9);
};`.replaceAll('\n', '');

const root = temporaryDirectory();

test('a stack trace of the service names files and lines of src', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, builtProgram, 'api', '--port', '0', '--cli', 'engine', '--data-dir', root],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root } },
  );
  expect({ status, stderr }).toMatchObject({ status: 9 });
  expect(stderr).toMatch(/src\/scenarios\/scenario-server\.ts:\d+:\d+/);
  expect(stderr).toMatch(/src\/main\.ts:\d+:\d+/);
  // What else is there is of packages, and stands where it says, as in a package of its own.
  for (const [, file = '', line] of stderr.matchAll(/(\/\S+\/dist\/\S+\.js):(\d+)/g)) {
    const above = readFileSync(file, 'utf8').split('\n').slice(0, Number(line));
    expect(above.findLast((text) => /^\/\/ \S+\.[jt]s$/.test(text))).toContain('node_modules/');
  }
});
