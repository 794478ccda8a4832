/** What is typed at a real terminal, whose program reads when the test wants it to. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { PtyInput } from '../../../../src/labs/nodes/pty-input.ts';
import { loadPty } from '../../../../src/labs/nodes/terminal.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterEach(() => void jest.useRealTimers());

/** A program that reads from when the gate is opened. */
async function opened(reader: string) {
  const { spawn } = await loadPty();
  const gate = emptyPlace(root).file;
  const wait = 'until [ -e "$0" ]; do sleep 0.02; done';
  const pty = spawn('sh', ['-c', `stty raw -echo; echo ready; ${wait}; ${reader}`, gate], {
    cwd: '/',
    env: { ...sessionHere().session.env },
  });
  let said = '';
  let hasEnded = false;
  pty.onData((text) => (said += text));
  pty.onExit(() => (hasEnded = true));
  await eventually('it is ready', () => said.includes('ready'));
  return {
    pty,
    input: new PtyInput(pty),
    said: () => said,
    open: () => writeFileSync(gate, ''),
    says: async (text: string) => eventually(text, () => said.includes(text)),
    ends: async () => eventually('its end', () => hasEnded),
  };
}

test('little waits for nobody', async () => {
  const { input, open, says, ends } = await opened('head -c 6 | tr a-z A-Z');
  input.stop();
  input.write(Buffer.from('one'));
  input.write(Buffer.from('two'));
  expect(input.unreadBytes).toBe(0);
  open();
  await says('ONETWO');
  await ends();
});

test('what the program has not read yet is kept in order, and it gets all of it when it reads', async () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('');
  const { input, open, says, ends } = await opened(`head -c ${lines.length} | cksum; seq 0 29999 | cksum`);
  holdTime();
  for (let at = 0; at < lines.length; at += 20_000) input.write(Buffer.from(lines.slice(at, at + 20_000)));
  expect(input.unreadBytes).toBeGreaterThan(100_000);
  expect(input.unreadBytes).toBeLessThan(lines.length);
  jest.advanceTimersByTime(1_000);
  expect(input.unreadBytes).toBeGreaterThan(100_000);
  open();
  await eventually('it has all', () => {
    jest.advanceTimersByTime(1_000);
    return input.unreadBytes === 0;
  });
  jest.useRealTimers();
  await says(`${lines.length}\n`);
  await ends();
});

test('what was not read when it stops is not read later', async () => {
  const { input, open, says, said, pty } = await opened('exec cat');
  input.write(Buffer.alloc(200_000, 'x'));
  input.stop();
  expect(input.unreadBytes).toBe(0);
  open();
  await says('x');
  input.write(Buffer.from('behind it'));
  await says('behind it');
  expect(said().length).toBeLessThan(200_000);
  pty.kill('SIGKILL');
});

test('what a program leaves unread that has ended is forgotten', async () => {
  const { input, open, ends } = await opened('exit 0');
  input.write(Buffer.alloc(200_000, 'x'));
  expect(input.unreadBytes).toBeGreaterThan(0);
  open();
  await ends();
  await eventually('it is forgotten', () => input.unreadBytes === 0);
  // The number of what is closed may be that of another file.
  input.write(Buffer.from('x'));
  expect(input.unreadBytes).toBe(0);
});
