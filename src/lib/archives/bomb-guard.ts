import { tooLarge } from './unpack-target.ts';

/** Configurations shrink to a tenth, a picture of a disk to a hundredth; what shrinks to less was made to fill a disk. */
const maxRatio = 250;
/** Up to here a large ratio does no harm. */
const ratioFreeBytes = 64 * 1024 * 1024;

/** Compares what comes out of an archive with what went in. */
export class RatioGuard {
  bytesIn = 0;
  #bytesOut = 0;

  /** @throws AppError `payload-too-large`. */
  addOut(bytes: number): void {
    this.#bytesOut += bytes;
    if (this.#bytesOut > ratioFreeBytes && this.#bytesOut > this.bytesIn * maxRatio)
      throw tooLarge('the ratio of the archive', `${maxRatio} to 1`);
  }
}
