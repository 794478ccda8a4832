import { expect, test } from '@jest/globals';
import { withoutModules } from '../../../../../src/labs/drivers/netlab/runtime.ts';

test('netlab looks for no modules of the kernel, except for those that the environment names', () => {
  const given = withoutModules({ NETLAB_PROVIDERS_CLAB_KMODS_VRF: '[vrf]' });
  expect(given['NETLAB_DEVICES_FRR_CLAB_KMODS_INITIAL']).toBe('[]');
  expect(Object.keys(given)).not.toContain('NETLAB_PROVIDERS_CLAB_KMODS_VRF');
});
