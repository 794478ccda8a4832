/** Which templates the page offers for a lab. */
import { expect, test } from '@jest/globals';
import { templatesAmong } from '../../../web/dashboard/src/parts/lab-actions/templates-among.ts';

const paths = [
  'topology.yml',
  'motd.j2',
  'ospf/frr.j2',
  'ospf/eos.j2',
  'labs/one/bgp/frr.j2',
  'labs/onemore.j2',
];

test('templates are files that end with .j2, and their directories', () => {
  expect(templatesAmong(paths, '')).toEqual([
    'labs/one/bgp/frr.j2',
    'labs/onemore.j2',
    'motd.j2',
    'ospf/eos.j2',
    'ospf/frr.j2',
    'labs/one/bgp',
    'labs',
    'ospf',
  ]);
});

test('their paths begin at the directory of the lab, and those outside of it are left out', () => {
  expect(templatesAmong(paths, 'labs/one')).toEqual(['bgp/frr.j2', 'bgp']);
  expect(templatesAmong(paths, 'elsewhere')).toEqual([]);
});
