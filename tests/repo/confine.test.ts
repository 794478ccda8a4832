/** What scripts try in namespaces of its own ends with the script, whatever it does about signals. */
import { expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const directory = temporaryDirectory();
const writable = path.join(directory, 'writable');
const script = path.join(directory, 'script.mjs');
const library = path.resolve(__dirname, '../../scripts/lib/confine.mjs');
writeFileSync(
  script,
  `import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { confine, isConfined } from ${JSON.stringify(library)};
const [writable, file] = process.argv.slice(2);
if (!isConfined()) process.exit(await confine(writable));
try { writeFileSync(file, ''); } catch (error) { console.log(error.code); }
if (process.env.SIGNAL_ALL) process.kill(0, 'SIGKILL');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
if (process.env.ORPHAN) {
  const orphan = execFileSync('sh', ['-c', 'sleep 0.1 >&2 & echo $!'], { encoding: 'utf8' }).trim();
  while (existsSync('/proc/' + orphan)) await pause(20);
}
console.log('inside');
if (process.env.STAY) setInterval(() => undefined, 1_000);
else process.exitCode = 7;
`,
);
mkdirSync(writable);

const canUnshare = spawnSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true']).status === 0;
const it = canUnshare ? test : test.skip;
const because = canUnshare ? '' : ' (skipped: no namespaces can be made here)';

function start(env: Readonly<Record<string, string>>, file: string) {
  const child = spawn(process.execPath, [script, writable, file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  // Closed when nobody is left who could write there.
  return { child, printed: () => printed, closed: once(child, 'close') };
}

it(`one place can be written, and the exit code is that of the script${because}`, async () => {
  const outside = path.join(directory, 'outside');
  const { child, printed, closed } = start({}, outside);
  await closed;
  expect([child.exitCode, printed()]).toEqual([7, 'EROFS\ninside\n']);
  expect(existsSync(outside)).toBe(false);
  const inside = start({}, path.join(writable, 'inside'));
  await inside.closed;
  expect(inside.printed()).toBe('inside\n');
  expect(readdirSync(writable)).toEqual(['inside']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  `%s ends all of it, also what handles signals itself${because}`,
  async (signal) => {
    const { child, closed } = start({ STAY: '1' }, path.join(writable, 'inside'));
    await once(child.stdout, 'data');
    child.kill(signal);
    await closed;
    expect(readdirSync(writable)).toEqual(['inside']);
  },
);

it(`a signal to all of a group stays inside${because}`, async () => {
  const { child, closed } = start({ SIGNAL_ALL: '1' }, path.join(writable, 'inside'));
  await closed;
  // This process would not be here otherwise.
  expect(child.signalCode).toBeNull();
});

it(`what its parent has left is gone when it has ended, and no zombie${because}`, async () => {
  const { child, printed, closed } = start({ ORPHAN: '1' }, path.join(writable, 'inside'));
  await closed;
  expect([child.exitCode, printed()]).toEqual([7, 'inside\n']);
});
