/** Answers of a real service, which `scripts/openapi.mjs --record` asked; a test holds them against their schemas. */
import { readFileSync } from 'node:fs';

export interface RecordedExamples {
  /** By operationId. */
  readonly operations: Readonly<
    Record<
      string,
      | {
          readonly request?: unknown;
          /** By status and media type. */
          readonly replies: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        }
      | undefined
    >
  >;
  /** By error code. */
  readonly problems: Readonly<Record<string, unknown>>;
}

/** The build puts the file beside this one, too. */
export function readRecordedExamples(): RecordedExamples {
  return JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as RecordedExamples;
}
