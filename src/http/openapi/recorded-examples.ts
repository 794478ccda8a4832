/** Answers of a real service, which `scripts/openapi.mjs --record` asked; a test holds them against their schemas. */
import examples from './examples.json' with { type: 'json' };

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

export const recordedExamples: RecordedExamples = examples;
