import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkLab } from '../../../../../src/labs/drivers/netlab/restart-check.ts';
import { printed } from '../../../../support/run-result.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const topology = path.join(root, 'topology.yml');
const defaults = path.join(root, 'defaults.yml');
const warning = '[WARN] cli: topology.yml has been modified\n';

/** The variables of a restart of `instance`, of a lab that was started from these files and has these plugins by default. */
async function restart(instance: string | null, files: unknown, env = {}, plugins: unknown = []) {
  const run = async ([...args]: readonly string[]) => {
    const what = args.pop();
    expect(args).toEqual(['inspect', '--format', 'json']);
    if (what === 'defaults.plugin')
      return plugins === null
        ? printed('', { exitCode: null })
        : printed(`${warning}${JSON.stringify(plugins)}`);
    expect(what).toBe('input');
    return files === undefined
      ? printed('', { exitCode: 1 })
      : printed(typeof files === 'string' ? files : `${warning}${JSON.stringify(files)}`);
  };
  return checkLab({ action: 'restart', workdir: root, instance, options: {}, env, run });
}

const files = ['topology.yml', defaults, 'package:topology-defaults.yml'];

test('a lab that netlab would start again as it was needs nothing', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  writeFileSync(defaults, 'device: linux\n');
  expect(await restart('default', files)).toEqual({});
  expect(await restart(null, files)).toEqual({});
  writeFileSync(topology, 'plugin: [multilab]\ndefaults.multilab.id: 7\nnodes: [a]\n');
  expect(await restart('7', files)).toEqual({});
});

test('a number that "up" was given is repeated, with the plugins that are there by default', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  expect(await restart('7', files)).toEqual({ NETLAB_MULTILAB_ID: '7', NETLAB_PLUGIN: '["multilab"]' });
  expect(await restart('7', files, {}, ['check', 'multilab'])).toMatchObject({
    NETLAB_PLUGIN: '["check","multilab"]',
  });
  expect(await restart('7', files, { NETLAB_MULTILAB_ID: '8' })).toMatchObject({ NETLAB_MULTILAB_ID: '7' });
});

test('a lab is not stopped when netlab does not tell its plugins: it would start without them', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  await expect(restart('7', files, {}, null)).rejects.toMatchObject({ code: 'lab-cli-failed' });
});

test.each([['default'], ['201'], ['lab']])(
  'the lab "%s" cannot have got its id from "up"',
  async (instance) => {
    writeFileSync(topology, 'plugin: [multilab]\ndefaults.multilab.id: 7\nnodes: [a]\n');
    await expect(restart(instance, files)).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringMatching(/would stop lab ".*" .* and start "7" in its place/),
    });
  },
);

test('an id from the defaults, or from the environment, stays', async () => {
  writeFileSync(topology, 'nodes: [a]\n');
  writeFileSync(defaults, 'defaults.multilab.id: 8\n');
  expect(await restart('8', files)).toEqual({});
  writeFileSync(defaults, '');
  expect(await restart('9', files, { NETLAB_MULTILAB_ID: '9' })).toEqual({});
});

test('a topology that is gone would leave no lab', async () => {
  await expect(restart('default', ['/nowhere/topology.yml'])).rejects.toMatchObject({
    code: 'topology-not-found',
  });
});

test.each([[undefined], ['no JSON'], ['{}'], ['[1]'], ['[]']])(
  'when netlab does not tell (%j), it is left to netlab, which stops nothing without a snapshot',
  async (answer) => expect(await restart('7', answer)).toEqual({}),
);

test('other actions are not looked at', async () => {
  const run = () => Promise.reject(new Error('nothing is run'));
  await checkLab({ action: 'down', workdir: root, instance: '7', options: {}, env: {}, run });
});
