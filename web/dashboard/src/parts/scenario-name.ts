import type { Job } from '../../../../src/client/api-types.ts';

/** The file or the title of the scenario of a job; undefined for other jobs. */
export function scenarioName({ request: { scenarioPath, scenario } }: Job): string | undefined {
  return scenarioPath?.split('/').at(-1) ?? scenario?.title;
}
