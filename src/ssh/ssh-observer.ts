/** The ends of logins. `gave-up`: the client left, or its time was up; `refused`: there were too many connections. */
export const loginResults = ['accepted', 'wrong', 'locked', 'busy', 'gave-up', 'refused'] as const;
export type LoginResult = (typeof loginResults)[number];

/** Receives what is counted. */
export interface SshObserver {
  /** The result is called when the connection has ended. */
  readonly connectionOpened: () => () => void;
  readonly loginEnded: (result: LoginResult) => void;
}
