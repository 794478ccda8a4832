import { AppError } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { formatSize } from '../../lib/text/size.ts';

/** @throws AppError `disk-full` when less than `floorBytes` are free for jobs. */
export async function assertDiskSpace(directory: string, floorBytes: number): Promise<void> {
  const free = await freeDiskBytes(directory);
  if (free === undefined || free >= floorBytes) return;
  const message = `only ${formatSize(free)} are free for jobs, less than the floor of ${formatSize(floorBytes)}`;
  throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
}
