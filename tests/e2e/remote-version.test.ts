/** `lab version`, against servers of other versions. */
import { expect, test } from '@jest/globals';
import { bareShell } from '../support/remote-lab.ts';
import { scriptedServers } from '../support/scripted-server.ts';
import { runProgram } from '../support/service.ts';
import { version } from '../../src/version.ts';

const serverThat = scriptedServers();
const [major = 0, minor = 0] = version.split('.').map(Number);

async function ran(args: readonly string[], info: object = {}) {
  const { url } = await serverThat((res) =>
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(info)),
  );
  const run = runProgram(['version', ...args], { ...bareShell, LAB_API_URL: url });
  return { exitCode: await run.exit, output: run.output() };
}

test('prints the version of this program, and asks no server', async () => {
  const run = runProgram(['version'], { ...bareShell, LAB_API_URL: 'http://127.0.0.1:1' });
  expect([await run.exit, run.output()]).toEqual([0, `${version}\n`]);
});

test.each([
  { server: version, exitCode: 0, sentence: /^They work together\.$/m },
  { server: `${major}.${minor + 1}.0-rc.1`, exitCode: 0, sentence: /^They work together\.$/m },
  {
    server: `${major + 1}.0.0`,
    exitCode: 1,
    sentence: new RegExp(`Use the lab command of lab-api ${major + 1}\\.`),
  },
  { server: '\u001b[2J', exitCode: 69, sentence: /the server does not tell its version/ },
])('compares with the version $server of a server', async ({ server, exitCode, sentence }) => {
  const answer = await ran(['--check'], { name: 'lab-api', version: server });
  expect(answer).toEqual({ exitCode, output: expect.stringMatching(sentence) });
});

test('tells programs in JSON, and takes no other service for lab-api', async () => {
  const { output } = await ran(['--check', '-o', 'json'], { name: 'lab-api', version });
  expect(JSON.parse(output)).toEqual({ client: version, server: version, isCompatible: true });
  expect(await ran(['--check'], { name: 'other', version })).toMatchObject({
    exitCode: 69,
    output: expect.stringContaining('the server is not lab-api'),
  });
});
