/** Where the built service fails, its stack traces name the lines that people wrote. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
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
  expect(stderr).toMatch(/src\/http\/server\.ts:\d+:\d+/);
  // The one file that is loaded before source maps are on is the entry.
  expect(stderr).not.toMatch(/dist\/(?!main\.js)\S+\.js:/);
});
