/** What workspaces need to know of those who use them; `service.ts` joins it from jobs and labs. */
export interface WorkspaceUse {
  /** The lab that lives in `directory` (a real path) or below; undefined when there is none. @throws AppError `workspace-busy` when that cannot be told. */
  readonly labIn: (directory: string) => string | undefined;
  /** A job that runs, or waits, in `directory` or below. */
  readonly jobIn: (directory: string) => string | undefined;
  /** Runs `action` while no job is accepted; it must not take long. */
  readonly whileNoJobComes: <T>(action: () => Promise<T>) => Promise<T>;
}
