/** A containerlab that was asked to be quiet does not say what it makes (the texts are those of 0.79). */
import { expect, test } from '@jest/globals';
import { containerlab } from '../../../../../src/labs/drivers/containerlab/containerlab.ts';

const error = (text: string): string => `          \n   ERROR  \n          \n  ${text}\n\n`;
const mayHaveLeft = (logEnd: string): boolean =>
  containerlab.mayHaveLeftLab({}, { action: 'up', directory: '/labs/demo', logEnd, beganMs: 0 });

test('when it is interrupted, something may be left', () => {
  const words = '19:49:43 ERRO received signal "interrupt", canceling context\n';
  expect(mayHaveLeft(`${words}${error('Could not list containers: context canceled.')}`)).toBe(true);
  expect(mayHaveLeft(words)).toBe(true);
});

test('when it may not run at all, nothing is', () => {
  expect(
    mayHaveLeft(error('This containerlab command requires root privileges or root via SUID to run.')),
  ).toBe(false);
  expect(mayHaveLeft(error("Lab 'demo' not found - no running containers."))).toBe(false);
});

test('it is asked in the word that it understands', () => {
  const lab = {
    action: 'up',
    topologyFile: '/labs/demo/demo.clab.yml',
    labName: undefined,
    instance: 'demo',
  } as const;
  const command = { ...lab, labFile: undefined, isListed: false, options: { quiet: true } };
  expect(containerlab.commandArguments(command)).toContain('--log-level=warn');
});
