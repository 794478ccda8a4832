/** `lab check`, as a user types it. */
import { beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram, startService, topologyThat, type RunningService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const directory = temporaryDirectory();
let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

const ran = async (text: string, ...words: readonly string[]) => {
  const file = path.join(directory, 'lab.yml');
  writeFileSync(file, text);
  const env = { PATH: process.env['PATH'] };
  const { exit, output } = runProgram(['check', file, '--server', service.url, ...words], env);
  return { exitCode: await exit, output: output().replaceAll(`${directory}/`, '') };
};

test('lab check prints each problem as compilers do, and ends with 1 when there is an error', async () => {
  const [{ version }] = (await service.get('/')).json.labClis;
  expect(await ran(topologyThat())).toEqual({
    exitCode: 0,
    output: `lab.yml: no problems found (netlab ${version})\n`,
  });
  expect(await ran(topologyThat('echo "Warning: slow" >&2'))).toEqual({
    exitCode: 0,
    output: 'lab.yml: warning: slow\n',
  });
  const wrong = 'nodes: [r1]\nlinks:\n- r1-r1\n- r1-nosuch\n';
  expect(await ran(wrong)).toEqual({
    exitCode: 1,
    output: 'lab.yml:4:3: error: Link string r1-nosuch in links[2] refers to an unknown node nosuch\n',
  });
  expect(JSON.parse((await ran(wrong, '-o', 'json')).output)).toMatchObject({ valid: false, cli: 'netlab' });
  expect(await ran(wrong, '--workspace', 'nothing')).toEqual({
    exitCode: 1,
    output: expect.stringMatching(/^lab: --workspace: there is no workspace "nothing"/),
  });
});
