import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkLab } from '../../../../../src/labs/drivers/netlab/restart-check.ts';
import { printed } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const topology = path.join(root, 'topology.yml');
const defaults = path.join(root, 'defaults.yml');

/** A restart of `instance`, of a lab that was started from these files. */
async function restart(instance: string | null, files: unknown, env = {}): Promise<void> {
  const run = async (args: readonly string[]) => {
    expect(args).toEqual(['inspect', '--format', 'json', 'input']);
    return files === undefined
      ? printed('', { exitCode: 1 })
      : printed(typeof files === 'string' ? files : JSON.stringify(files));
  };
  await checkLab({ action: 'restart', workdir: root, instance, options: {}, env, run });
}

const files = ['topology.yml', defaults, 'package:topology-defaults.yml'];

test('a lab that netlab would start again as it was may be restarted', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  writeFileSync(defaults, 'device: linux\n');
  await restart('default', files);
  await restart(null, files);
  writeFileSync(topology, 'plugin: [multilab]\ndefaults.multilab.id: 7\nnodes: [a]\n');
  await restart('7', files);
});

test('a number that "up" was given would be lost', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  await expect(restart('7', files)).rejects.toMatchObject({
    code: 'invalid-request',
    message: expect.stringMatching(/would stop lab "7" .* and start "default" in its place/),
  });
});

test('one from the defaults, or from the environment, stays', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  writeFileSync(defaults, 'defaults.multilab.id: 8\n');
  await restart('8', files);
  writeFileSync(defaults, '');
  await restart('9', files, { NETLAB_MULTILAB_ID: '9' });
});

test('a topology that is gone would leave no lab', async () => {
  await expect(restart('default', ['/nowhere/topology.yml'])).rejects.toMatchObject({
    code: 'topology-not-found',
  });
});

test.each([[undefined], ['no JSON'], ['{}'], ['[1]'], ['[]']])(
  'when netlab does not tell (%j), it is left to netlab, which stops nothing without a snapshot',
  async (answer) => restart('7', answer),
);

test('other actions are not looked at', async () => {
  const run = () => Promise.reject(new Error('nothing is run'));
  await checkLab({ action: 'down', workdir: root, instance: '7', options: {}, env: {}, run });
});
