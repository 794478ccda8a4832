import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** A path with its symbolic links resolved; the absolute path when there is no such file. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** limits.h (PATH_MAX) and path_resolution(7). */
const [maxLength, maxLinks] = [4_096, 40];

/** As `realPathOf`, for a file that may be made: also of one that is absent, all links on the way to it are resolved. */
export function realPlaceOf(file: string, links = 0): string {
  const absolute = path.resolve(file);
  // The system refuses it, too.
  if (absolute.length > maxLength || links > maxLinks) return absolute;
  try {
    return realpathSync(absolute);
  } catch {
    const above = path.dirname(absolute);
    if (above === absolute) return absolute;
    const place = path.join(realPlaceOf(above, links), path.basename(absolute));
    try {
      return realPlaceOf(path.resolve(path.dirname(place), readlinkSync(place)), links + 1);
    } catch {
      return place;
    }
  }
}
