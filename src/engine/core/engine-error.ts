/** What a command could not do, as one sentence for the person who gave it. Printed as `Fatal error in lab <command>: …`. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
  /** Further lines, printed before the sentence: the words of the kernel, or every error of a topology. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** A signal ended the command; `exitCode` is 128 + its number, as a shell has it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(`interrupted by ${signal}`);
    this.exitCode = exitCode;
  }
}
