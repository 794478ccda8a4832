/** The reason why a command failed: one sentence for the user, printed as `Fatal error in lab <command>: …`. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
  /** Lines printed before the sentence: the error output of `ip`, or every error of a topology. */
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
