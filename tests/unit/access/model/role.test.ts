import { expect, test } from '@jest/globals';
import { roleFor, roleMay, roles, type Permission } from '../../../../src/access/model/role.ts';

test.each<[Permission, readonly string[]]>([
  ['public', ['viewer', 'operator', 'admin']],
  ['read', ['viewer', 'operator', 'admin']],
  ['operate', ['operator', 'admin']],
])('%s is what %j may', (permission, those) => {
  expect(roles.filter((role) => roleMay(role, permission))).toEqual(those);
  expect(roleFor(permission)).toBe(permission === 'public' ? undefined : those[0]);
});
