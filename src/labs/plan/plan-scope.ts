/** The parts of this machine that a request may use. */
export interface PlanScope {
  /** Whether it may name what is there: a path, absolute, symbolic links resolved. */
  readonly allows: (realPath: string) => boolean;
  /** Whether it may name an instance whose directory is unknown. */
  readonly mayNameUnknown: boolean;
}
