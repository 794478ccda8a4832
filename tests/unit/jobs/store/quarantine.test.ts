import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Quarantine } from '../../../../src/jobs/store/quarantine.ts';
import { directoriesWithAJob } from '../../../support/stored-jobs.ts';
import { sampleId } from '../../../support/sample-job.ts';

const id = sampleId(1);
const newDirectory = directoriesWithAJob(id);

describe('quarantine', () => {
  test('takes a job as often as it is damaged, and says where it is', async () => {
    const { directory, makeJob, log } = newDirectory();
    const quarantine = new Quarantine(directory, log);
    await quarantine.prepare();
    await quarantine.prepare();
    const own = path.join(directory, '.quarantine');
    expect(statSync(own).mode & 0o777).toBe(0o700);
    for (const _ of [1, 2, 3]) {
      makeJob();
      await quarantine.take(id, 'cut off');
    }
    expect(readdirSync(own).toSorted()).toEqual([id, `${id}.2`, `${id}.3`]);
    mkdirSync(path.join(own, `${id}.12`));
    expect(await quarantine.ids()).toEqual([id, id, id, id]);
    expect(log.entries.map(({ level, fields }) => ({ level, ...fields }))).toEqual(
      ['', '.2', '.3'].map((end) => ({
        level: 'error',
        job: id,
        movedTo: path.join(own, `${id}${end}`),
        cause: 'cut off',
      })),
    );
  });

  test('that is not there takes nothing, and says so', async () => {
    const { directory, makeJob, log } = newDirectory();
    const home = makeJob();
    await new Quarantine(directory, log).take(id, 'cut off');
    expect(existsSync(home)).toBe(true);
    expect(log.entries).toMatchObject([
      { level: 'error', message: expect.stringContaining('cannot be set aside'), fields: { job: id } },
    ]);
    expect(log.entries[0]?.fields['cause']).toContain('ENOENT');
  });

  test('makes the jobs directory as well', async () => {
    const { directory, log } = newDirectory();
    await new Quarantine(path.join(directory, 'a', 'b'), log).prepare();
    expect(readdirSync(path.join(directory, 'a', 'b'))).toEqual(['.quarantine']);
  });
});
