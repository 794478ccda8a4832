import { every } from '../../lib/async/disposal.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import type { Logger } from '../../lib/logger.ts';
import { formatSize } from '../../lib/text/size.ts';

interface DiskWatchSpec {
  readonly directory: string;
  readonly limits: { readonly minFreeDiskBytes: number };
  readonly log: Logger;
  /** The interval between two checks, in milliseconds. */
  readonly intervalMs?: number;
  /** The free bytes of its disk; undefined when they are unknown at the moment. */
  readonly freeBytes?: (directory: string) => Promise<number | undefined>;
}

/**
 * Reports when the disk of the jobs falls below its floor between two requests for jobs, and when it is above again. Running
 * jobs go on: their logs are bounded, and a lab that is half-way up is worth more than none. The result ends the watch.
 */
export function watchFreeDisk({
  directory,
  limits,
  log,
  intervalMs = 5_000,
  freeBytes = freeDiskBytes,
}: DiskWatchSpec): () => void {
  let isLow = false;
  const look = async (): Promise<void> => {
    const free = await freeBytes(directory);
    const { minFreeDiskBytes } = limits;
    if (free === undefined || free < minFreeDiskBytes === isLow) return;
    isLow = !isLow;
    const facts = { directory, free: formatSize(free), floor: formatSize(minFreeDiskBytes) };
    if (isLow) log.error('the disk is below its floor: no new jobs are taken, running ones go on', facts);
    else log.info('the disk is above its floor again', facts);
  };
  void look();
  return every(intervalMs, () => void look());
}
