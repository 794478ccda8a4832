import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Trash } from '../../../../src/jobs/store/trash.ts';
import { directoriesWithAJob } from '../../../support/stored-jobs.ts';
import { sampleId } from '../../../support/sample-job.ts';

const id = sampleId(1);
const newDirectory = directoriesWithAJob(id);

describe('trash', () => {
  test('takes a job whole, and erases it when it is told to', async () => {
    const { directory, makeJob, log } = newDirectory();
    const trash = new Trash(directory, log);
    const home = makeJob();
    await trash.take(id);
    const taken = path.join(directory, '.trash', id);
    expect([existsSync(home), existsSync(path.join(taken, 'log'))]).toEqual([false, true]);
    expect(statSync(path.dirname(taken)).mode & 0o777).toBe(0o700);
    await trash.erase(id);
    await trash.erase(id);
    expect([existsSync(taken), log.entries]).toEqual([false, []]);
  });

  test('takes no job that is not there, and that is no error', async () => {
    const { directory, log } = newDirectory();
    await new Trash(directory, log).take(id);
    await new Trash(directory, log).take(id);
    expect(log.entries).toEqual([]);
  });

  test('that is a link is not emptied: what it leads to nobody threw away', async () => {
    const { directory, makeJob, log } = newDirectory();
    const home = makeJob();
    symlinkSync(home, path.join(directory, '.trash'));
    await new Trash(directory, log).empty();
    expect(readdirSync(home)).toEqual(['log']);
  });

  test('that holds a job of that name already leaves the new one where it is', async () => {
    const { directory, makeJob, log } = newDirectory();
    const trash = new Trash(directory, log);
    makeJob();
    await trash.take(id);
    const home = makeJob();
    await expect(trash.take(id)).rejects.toThrow('ENOTEMPTY');
    expect(existsSync(home)).toBe(true);
  });

  test('is emptied, and says what stays', async () => {
    const { directory, makeJob, log } = newDirectory();
    const trash = new Trash(directory, log);
    await trash.empty();
    makeJob();
    await trash.take(id);
    writeFileSync(path.join(directory, '.trash', 'another'), '');
    await trash.empty();
    expect(readdirSync(path.join(directory, '.trash'))).toEqual([]);
    expect(log.entries).toEqual([]);
    // No path that rm(1) could erase.
    await trash.erase('\0');
    expect(log.entries).toMatchObject([
      {
        level: 'warn',
        fields: { directory: path.join(directory, '.trash', '\0'), cause: expect.any(String) },
      },
    ]);
  });
});
