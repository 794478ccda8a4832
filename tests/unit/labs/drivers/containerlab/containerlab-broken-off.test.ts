import { expect, test } from '@jest/globals';
import { containerlab } from '../../../../../src/labs/drivers/containerlab/containerlab.ts';

test('a down that broke off and ended with 0 is not believed, though no container is left', async () => {
  const why = 'opening hosts file lock "/run/lock/clab-hosts.lock": read-only file system';
  const claim = {
    workdir: '/labs/demo',
    instance: 'demo',
    dryRun: false,
    ofSomeNodes: false,
    nodes: [],
    instanceDirs: () => Promise.resolve([]),
    look: () => Promise.reject(new Error('not asked')),
  };
  const logEnd = `20:15:02 INFO Removed container name=clab-demo-n1\n20:15:02 ERRO Error occurred during the demo lab deletion: ${why}\n`;
  expect(await containerlab.resultChecks['lab-is-gone']({ ...claim, logEnd })).toContain(
    `was taken down: Error occurred`,
  );
});
