/** Why each job waits that had its turn and could not be started, because the machine is short of something just now. */
export class PostponedStarts extends Map<string, string> {
  /** One sentence; null when none waits for that. */
  get fault(): string | null {
    const [cause] = this.values();
    return cause === undefined ? null : `${this.size} job(s) wait for the machine: ${cause}`;
  }
}
