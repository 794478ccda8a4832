/** The file of the audit: real files, pipes and a device that is always full. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { AuditFile } from '../../../../src/access/audit/audit-file.ts';
import { auditLine, type AuditLine } from '../../../../src/access/audit/audit-line.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

const lineOf = (requestId: string): AuditLine =>
  auditLine({ event: 'request', requestId, method: 'POST', path: '/jobs' });

const linesIn = (file: string): AuditLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditLine);

const idsIn = (file: string): unknown[] => linesIn(file).map((line) => 'requestId' in line && line.requestId);

async function auditFile(file: string) {
  const log = new MemoryLogger();
  const refused: AuditLine[] = [];
  const audit = await AuditFile.open({ file, log, onRefused: (line) => refused.push(line) });
  return { audit, log, refused };
}

describe('the audit file', () => {
  test('is made for its owner alone, and has every line in order once it is closed', async () => {
    const { file } = emptyPlace(root);
    const { audit, refused } = await auditFile(file);
    const ids = Array.from({ length: 3_000 }, (_, at) => String(at));
    for (const id of ids) audit.write(lineOf(id));
    await audit.close();
    expect(idsIn(file)).toEqual(ids);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(refused).toEqual([]);
  });

  test('that is there goes on, with the mode that somebody gave it', async () => {
    const { file } = emptyPlace(root);
    writeFileSync(file, '{"requestId":"before"}\n');
    chmodSync(file, 0o640);
    const { audit } = await auditFile(file);
    audit.write(lineOf('after'));
    await audit.close();
    expect(idsIn(file)).toEqual(['before', 'after']);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ['a directory', (file) => mkdirSync(file), /it is a directory/],
    ['a pipe', (file) => execFileSync('mkfifo', [file]), /it is not a plain file/],
    ['a link', (file) => symlinkSync('/dev/null', file), /it is a link; name the file/],
    ['a link that leads nowhere', (file) => symlinkSync('nowhere', file), /it is a link/],
    ['a file in no directory', (file) => rmSync(path.dirname(file), { recursive: true }), /does not exist/],
  ])('is refused when it is %s', async (_what, put, message) => {
    const { file } = emptyPlace(root);
    put(file);
    await expect(auditFile(file)).rejects.toThrow(message);
  });

  test('is refused when it is a device', async () => {
    await expect(auditFile('/dev/null')).rejects.toThrow(
      'the audit file /dev/null cannot be written: it is not a plain file',
    );
  });

  test('that was moved away is made anew: no line is lost, and each is in the right one', async () => {
    const { file } = emptyPlace(root);
    const { audit, log } = await auditFile(file);
    audit.write(lineOf('first'));
    renameSync(file, `${file}.1`);
    audit.write(lineOf('second'));
    audit.reopen();
    audit.write(lineOf('third'));
    await audit.close();
    expect(idsIn(`${file}.1`)).toEqual(['first', 'second']);
    expect(idsIn(file)).toEqual(['third']);
    expect(log.entries).toMatchObject([{ level: 'info', message: 'the audit file was opened anew' }]);
  });

  test('in whose place there is a pipe at a rotation is written on, and that is said', async () => {
    const { file } = emptyPlace(root);
    const { audit, log } = await auditFile(file);
    renameSync(file, `${file}.1`);
    execFileSync('mkfifo', [file]);
    audit.reopen();
    audit.write(lineOf('on'));
    await audit.close();
    expect(idsIn(`${file}.1`)).toEqual(['on']);
    expect(log.errors()).toEqual([
      'the audit file cannot be opened anew: the one that was open is written on',
    ]);
  });

  test('takes no more lines than fit into memory while the disk does not keep up', async () => {
    const { file } = emptyPlace(root);
    const { audit, log, refused } = await auditFile(file);
    // Nothing is written before this turn of the event loop is over.
    for (let at = 0; at < 5_000; at += 1) audit.write(lineOf(String(at)));
    expect(refused.length).toBeGreaterThan(800);
    expect(audit.fault).toContain('too slowly');
    await audit.close();
    expect(idsIn(file).length + refused.length).toBeGreaterThanOrEqual(5_000);
    expect(log.errors()).toEqual(['the audit file takes no lines: they go into this log until it does']);
  });

  test('goes on behind half a line on a line of its own', async () => {
    const { file } = emptyPlace(root);
    writeFileSync(file, '{"half');
    const { audit } = await auditFile(file);
    audit.write(lineOf('whole'));
    await audit.close();
    const [half, whole = ''] = readFileSync(file, 'utf8').split('\n');
    expect(half).toBe('{"half');
    expect(JSON.parse(whole)).toMatchObject({ requestId: 'whole' });
  });
});
