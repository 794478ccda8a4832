import type { OwnJobs } from '../../src/labs/own-jobs.ts';

/** Of tests without scenarios. */
export const noOwnJobs: OwnJobs = {
  plan: async () => Promise.reject(new Error('no scenario is expected here')),
  commandNow: (command) => command,
  resultReader: () => {
    throw new Error('no scenario is expected here');
  },
  errorSentence: () => '',
};
