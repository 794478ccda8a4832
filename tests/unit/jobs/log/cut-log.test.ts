import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { cutLog } from '../../../../src/jobs/log/log-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();

function logFile(name: string, content: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
}

describe('cutLog', () => {
  test('gives back what is behind the bytes that are kept, and who writes goes on there', async () => {
    const file = logFile('log', 'kept and cut');
    const writer = openSync(file, 'a');
    await cutLog(file, 4);
    writeSync(writer, '!');
    closeSync(writer);
    expect(readFileSync(file, 'utf8')).toBe('kept!');
  });

  test('leaves a log alone that was cut before a character, and ended there, in the meantime', async () => {
    const file = logFile('ended', 'abc');
    await cutLog(file, 4);
    expect(readFileSync(file, 'utf8')).toBe('abc');
  });

  test.each<[string, (file: string, target: string) => void, string]>([
    ['link', (file, target) => symlinkSync(target, file), 'ELOOP'],
    ['pipe', (file) => execFileSync('mkfifo', [file]), 'ENXIO'],
  ])('follows no link and waits for nobody: a %s', async (name, make, code) => {
    const target = logFile('target', 'of somebody else');
    const file = path.join(directory, `${name}-to-cut`);
    make(file, target);
    await expect(cutLog(file, 0)).rejects.toMatchObject({ code });
    expect(readFileSync(target, 'utf8')).toBe('of somebody else');
  });

  test('says when there is nothing to cut', async () => {
    await expect(cutLog(path.join(directory, 'none'), 0)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
