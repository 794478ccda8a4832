import { expect, test } from '@jest/globals';
import { progressOf } from '../../../../src/engine/commands/up.ts';
import { phasesOfUp } from '../../../../src/engine/namespaces/phases.ts';
import { handMadeLab, line } from '../../../support/engine-lab.ts';

test('each phase says what it begins, and what it is doing: n of m', () => {
  const lab = handMadeLab({ links: line(11) });
  const said: string[] = [];
  for (const phase of phasesOfUp(lab)) progressOf(phase, lab, (text) => said.push(text)).say(0.55);
  expect(said).toEqual([
    'Creating 11 nodes\n',
    'Creating nodes: 6 of 11\n',
    'Creating 10 links\n',
    'Creating links: 5 of 10\n',
    'Configuring 11 nodes\n',
    'Configuring nodes: 6 of 11\n',
  ]);
});
