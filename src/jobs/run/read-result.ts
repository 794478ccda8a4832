/** The result of a job, read from its log when it has ended. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import { readLines } from '../log/log-file.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import { directoryMode, fileMode, type JobPaths } from '../store/job-files.ts';

interface ResultDeps {
  readonly paths: JobPaths;
  readonly lab: Pick<LabPort, 'resultReader'>;
  readonly log: Logger;
}

interface LogEnd {
  /** Of the lab CLI; null when it was ended, or its end was not observed. */
  readonly exitCode: number | null;
  /** How much of the log belongs to the job, in bytes; null when that is not known. */
  readonly size: number | null;
}

type Found = Pick<Job, 'result' | 'warnings'>;

/** On disk for good when this resolves; with the content of the last call, when a crash has it called again. */
async function writeArtifacts(paths: JobPaths, artifacts: ReadonlyMap<string, string>): Promise<void> {
  if (artifacts.size === 0) return;
  await mkdir(paths.artifacts, { recursive: true, mode: directoryMode });
  await syncDirectory(paths.directory);
  for (const [name, content] of artifacts)
    await writeDurably(path.join(paths.artifacts, name), content, fileMode);
}

/**
 * Reads the log, and writes the files that come of it. To be called before the job is terminal on record: who sees it ended
 * finds them. Never rejects: a disk that fails costs the result, not the end of the job.
 */
export async function readResult(job: Job, { exitCode, size }: LogEnd, deps: ResultDeps): Promise<Found> {
  const { paths, lab, log } = deps;
  try {
    const reader = lab.resultReader(job);
    if (reader === undefined) return { result: null, warnings: [] };
    await readLines(paths.log, size ?? (await stat(paths.log)).size, reader.line);
    const { result, warnings, artifacts } = reader.end({ exitCode });
    const notWritten = await writeArtifacts(paths, artifacts).then(
      () => [],
      (error: unknown) => {
        log.error('artifacts of a job cannot be written', { job: job.id, cause: messageOf(error) });
        return [`${[...artifacts.keys()].join(', ')} could not be written: the disk refused`];
      },
    );
    return { result, warnings: [...warnings, ...notWritten] };
  } catch (error) {
    log.error('the result of a job cannot be read', { job: job.id, cause: messageOf(error) });
    return { result: null, warnings: ['the result could not be read from the log'] };
  }
}
