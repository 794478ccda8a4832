/** The result of a job, read from its log when it has ended. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import { formatSize } from '../../lib/text/size.ts';
import { readLines } from '../log/log-file.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import { directoryMode, fileMode, type JobPaths } from '../store/job-files.ts';

/**
 * How much of a log is read for the result, in bytes. It bounds the time in which an ended job stays `running`: a log is as long as
 * the lab CLI, or a command in a node, wants, and 16 million lines fit into this.
 */
const maxReadBytes = 16 * 1024 * 1024;

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
    const logBytes = size ?? (await stat(paths.log)).size;
    const isWhole = logBytes <= maxReadBytes;
    await readLines(paths.log, Math.min(logBytes, maxReadBytes), reader.line);
    const { result, warnings, artifacts } = reader.end({ exitCode: isWhole ? exitCode : null });
    const unread = isWhole
      ? []
      : [`the result was read from the first ${formatSize(maxReadBytes)} of the log`];
    const notWritten = await writeArtifacts(paths, artifacts).then(
      () => [],
      (error: unknown) => {
        log.error('artifacts of a job cannot be written', { job: job.id, cause: messageOf(error) });
        return [`${[...artifacts.keys()].join(', ')} could not be written: the disk refused`];
      },
    );
    return { result, warnings: [...warnings, ...unread, ...notWritten] };
  } catch (error) {
    log.error('the result of a job cannot be read', { job: job.id, cause: messageOf(error) });
    return { result: null, warnings: ['the result could not be read from the log'] };
  }
}
