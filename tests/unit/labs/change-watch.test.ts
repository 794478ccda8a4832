/** A lab CLI that tells of changes while they happen: a program that prints lines. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ChangeWatch, followed } from '../../../src/labs/change-watch.ts';
import { containerlab } from '../../../src/labs/drivers/containerlab/containerlab.ts';
import { netlab } from '../../../src/labs/drivers/netlab/netlab.ts';
import { eventually } from '../../support/eventually.ts';
import { writeProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const env = { PATH: '/usr/bin:/bin' };
const quick = { firstMs: 1, longestMs: 2, gatherMs: 1 };
let directory: string;
let seen: string[];
let end: AbortController;

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'watch-'));
  seen = [];
  end = new AbortController();
});
afterEach(() => end.abort());

const count = (what: string): number => seen.filter((one) => one === what).length;
const runs = (): number =>
  readFileSync(path.join(directory, 'runs'), { encoding: 'utf8', flag: 'a+' }).length;
const until = (name: string): string => `until [ -e ${directory}/${name} ]; do sleep 0.02; done`;
const forever = until('never');

/** Follows a program that runs that script; each line that begins with "change" is one. */
function watch(script: string, words: readonly string[] = []): ChangeWatch {
  const file = writeProgram(path.join(directory, 'cli'), `printf . >>${directory}/runs\n${script}`);
  const isChange = (line: string): boolean => {
    seen.push(line);
    return line.startsWith('change');
  };
  const program = () => ({ file, watch: { arguments: ['events'], isChange }, env });
  const onChange = (): void => void seen.push('changed');
  return new ChangeWatch({ program, words, onChange, shutdown: end.signal, pauses: quick });
}

test('of what is printed, changes alone are told, each time that there are some', async () => {
  watch(`echo noise $1; ${until('go')}; echo change; ${until('on')}; echo change; ${forever}`).start();
  await eventually('the noise', () => count('noise events') === 1);
  writeFileSync(path.join(directory, 'go'), '');
  await eventually('the first', () => count('changed') === 1);
  writeFileSync(path.join(directory, 'on'), '');
  await eventually('the second', () => count('changed') === 2);
  expect(seen).toEqual(['noise events', 'change', 'changed', 'change', 'changed']);
});

test('many at a time are told together', async () => {
  watch(`seq -f 'change %g' 500; echo end; ${forever}`).start();
  await eventually('the end', () => count('end') === 1 && count('changed') > 0);
  expect(count('changed')).toBeLessThan(100);
});

test('when it ends, there may have been changes, and it is started again', async () => {
  watch('').start();
  await eventually('three runs', () => runs() >= 3);
  await eventually('a change', () => count('changed') > 0);
});

test('it runs behind the words of another user, and ends with the service', async () => {
  watch(`echo "change $$ $MARK"; exec sleep 1000`, ['/usr/bin/env', 'MARK=as-user']).start();
  await eventually('its word', () => count('changed') === 1);
  const [, pid = '', mark] = (seen[0] ?? '').split(' ');
  expect(mark).toBe('as-user');
  end.abort();
  await eventually('it has ended', () => {
    try {
      return !process.kill(Number(pid), 0);
    } catch {
      return true;
    }
  });
  expect(count('changed')).toBe(1);
});

test('what is followed is the lab CLI that is there, if it tells of changes', () => {
  const deps = { env: { ...env, LAB_API_PASSWORD: 'x' }, runAs: undefined, shutdown: end.signal };
  const cli = { name: 'clab', file: '/bin/clab', binDirs: [], driver: containerlab };
  const { program, ...others } = followed(deps, () => cli);
  expect(program()).toMatchObject({ file: '/bin/clab', watch: containerlab.watch, env });
  expect(program()?.env).not.toHaveProperty('LAB_API_PASSWORD');
  expect(others).toEqual({ words: [], shutdown: end.signal });
  expect(followed(deps, () => ({ ...cli, driver: netlab })).program()).toBeUndefined();
  expect(followed(deps, () => undefined).program()).toBeUndefined();
  const runAs = { name: 'lab', uid: 1, gid: 1, home: '/', commandPrefix: ['as', 'lab'], programs: [] };
  expect(followed({ ...deps, runAs }, () => cli).words).toEqual(['as', 'lab']);
});
