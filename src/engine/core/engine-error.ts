/** Why a command failed: one sentence for the person who gave it, printed as `Fatal error in lab <command>: …`. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
  /** Lines that are printed before the sentence: what `ip` printed, or every error of a topology. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** A signal ended the command; `exitCode` is 128 + the number of the signal, as in a shell. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(`interrupted by ${signal}`);
    this.exitCode = exitCode;
  }
}
