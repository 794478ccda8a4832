/** Where the built service fails, its stack traces name the lines that people wrote. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
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
  // All other positions are of packages, and stay as they are.
  for (const [, file = '', line, column] of stderr.matchAll(/(\/\S+\/dist\/\S+\.js):(\d+):(\d+)/g)) {
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
    expect(map.findOrigin(Number(line), Number(column))).toMatchObject({
      fileName: expect.stringContaining('node_modules/'),
    });
  }
});
