import type { JobSummary } from './job-summary.ts';

/**
 * The summaries of all jobs, sorted by id, which is the order of creation. One sorted array is enough: among 100,000 jobs
 * one is found by halving in 17 steps, a page begins anywhere without a look at the others, and inserting or taking out
 * moves less than a megabyte.
 */
export class JobIndex {
  readonly #sorted: JobSummary[] = [];

  /** Where the first job stands whose id is not below `id`. */
  #place(id: string): number {
    let low = 0;
    let high = this.#sorted.length;
    // Nearly always: jobs are added in the order of their ids.
    if ((this.#sorted[high - 1]?.id ?? '') < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.id ?? '') < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get(id: string): JobSummary | undefined {
    const found = this.#sorted[this.#place(id)];
    return found?.id === id ? found : undefined;
  }

  /** Adds a job, or replaces what was known of it. */
  set(summary: JobSummary): void {
    const place = this.#place(summary.id);
    const isKnown = this.#sorted[place]?.id === summary.id;
    this.#sorted.splice(place, isKnown ? 1 : 0, summary);
  }

  /** Whether it was there. */
  delete(id: string): boolean {
    const place = this.#place(id);
    if (this.#sorted[place]?.id !== id) return false;
    this.#sorted.splice(place, 1);
    return true;
  }

  /** Oldest first; a copy. */
  all(): JobSummary[] {
    return [...this.#sorted];
  }

  newest(): JobSummary | undefined {
    return this.#sorted.at(-1);
  }

  /** Jobs that match, newest first, at most `limit`, with ids below `before`. */
  select(matches: (summary: JobSummary) => boolean, limit: number, before?: string): JobSummary[] {
    const found: JobSummary[] = [];
    let place = before === undefined ? this.#sorted.length : this.#place(before);
    while (place > 0 && found.length < limit) {
      place -= 1;
      const summary = this.#sorted[place];
      if (summary && matches(summary)) found.push(summary);
    }
    return found;
  }
}
