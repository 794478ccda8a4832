import { expect, test } from '@jest/globals';
import { AppError } from '../../../../src/lib/app-error.ts';
import {
  assertNoJob,
  assertUnused,
  type WorkspaceUse,
} from '../../../../src/labs/workspaces/workspace-use.ts';

/** Who is in the workspace `course`, and in no other directory. */
const usedBy = (users: { readonly lab?: string; readonly job?: string }): WorkspaceUse => ({
  seeLabs: async () => undefined,
  labIn: (directory) => (directory === '/all/course' ? users.lab : undefined),
  jobIn: (directory) => (directory === '/all/course' ? users.job : undefined),
  whileClosed: async (action) => action(),
});

/** What is told to whoever wants to do that; undefined when it may be done. */
function refusal(assert: typeof assertUnused, use: WorkspaceUse, name = 'course'): AppError | undefined {
  try {
    assert(use, name, `/all/${name}`);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

test('a job keeps everybody else out of its workspace, is named, and is expected to end', () => {
  for (const assert of [assertNoJob, assertUnused]) {
    const told = refusal(assert, usedBy({ job: 'job-1-abcdef', lab: 'bgp' }));
    expect(told).toMatchObject({
      code: 'workspace-busy',
      message: expect.stringMatching(/job-1-abcdef.*"course"/),
      extra: { conflictingJobId: 'job-1-abcdef' },
      retryAfterSeconds: 10,
    });
  }
});

test('a lab keeps files from being replaced or removed; waiting does not help, stopping it does', () => {
  const told = refusal(assertUnused, usedBy({ lab: 'bgp' }));
  expect(told).toMatchObject({
    code: 'workspace-busy',
    message: expect.stringMatching(/"bgp" lives in "course".*"down"/),
    extra: {},
    retryAfterSeconds: undefined,
  });
});

test('a lab does not keep a workspace from being given away', () => {
  expect(refusal(assertNoJob, usedBy({ lab: 'bgp' }))).toBeUndefined();
});

test('a workspace is free when nobody is there, whoever is in another one', () => {
  expect(refusal(assertUnused, usedBy({}))).toBeUndefined();
  expect(refusal(assertUnused, usedBy({ job: 'job-1-abcdef', lab: 'bgp' }), 'other')).toBeUndefined();
});
