import { tooLarge } from './unpack-target.ts';

/** Up to here a large ratio does no harm. */
const ratioFreeBytes = 64 * 1024 * 1024;

/** Compares what comes out of an archive with what went in. */
export class RatioGuard {
  readonly #maxRatio: number;
  bytesIn = 0;
  #bytesOut = 0;

  constructor(maxRatio: number) {
    this.#maxRatio = maxRatio;
  }

  /** @throws AppError `payload-too-large`. */
  addOut(bytes: number): void {
    this.#bytesOut += bytes;
    if (this.#bytesOut > ratioFreeBytes && this.#bytesOut > this.bytesIn * this.#maxRatio)
      throw tooLarge('the ratio of the archive', `${this.#maxRatio} to 1`);
  }
}
