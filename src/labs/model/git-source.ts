/** Files for a job from a directory of a Git repository: what a request asks for, and what came of it. */
import * as z from 'zod';
import { userInUrl } from '../../lib/net/outbound-url.ts';

const maxUrl = 2048;
const maxPath = 1024;
const maxRef = 255;

/** git-check-ref-format(1), and no first character that `git fetch` takes for an option or a part of a refspec. */
// eslint-disable-next-line no-control-regex -- these must not be there
const refPattern = /^[^\x00-\x20\x7f~^:?*\x5b\\@+-][^\x00-\x20\x7f~^:?*\x5b\\]*$/;

/** `user:password@` and a query would end up in records and logs. */
// eslint-disable-next-line no-control-regex -- these must not be there
const urlPattern = /^[Hh][Tt][Tt][Pp][Ss]:\/\/[^\x00-\x20\x7f?#\\]+$/;

const withoutUser = new RegExp(userInUrl);

export const gitSourceSchema = z
  .strictObject({
    git: z
      .string()
      .max(maxUrl)
      .regex(urlPattern, 'must be an https URL (no http, no ssh) without a query')
      .refine((url) => !withoutUser.test(url), {
        message: 'must not hold a user name or password: LAB_API_GIT_CREDENTIALS has those of the server',
      })
      .meta({ not: { pattern: userInUrl } })
      .describe('The https URL of the repository, on a host of `LAB_API_GIT_HOSTS`.'),
    ref: z
      .string()
      .max(maxRef)
      .regex(refPattern, 'must be a branch, a tag, a whole commit id, or pull/12')
      .optional()
      .describe(
        'A branch, a tag, a whole commit id, or `pull/12` or `merge-requests/12`. Default: the default branch.',
      ),
    path: z
      .string()
      .max(maxPath)
      .refine((path) => !path.includes('\0'), 'must not contain a NUL byte')
      .meta({ pattern: '^[^\\u0000]*$' })
      .optional()
      .describe(
        'The directory of the repository whose files go into the workspace. Default: the whole repository.',
      ),
  })
  .meta({ id: 'GitSource', description: 'A directory of a Git repository.' });

export type GitSource = Readonly<z.output<typeof gitSourceSchema>>;

export const gitCommitSchema = z
  .object({
    git: z.string().describe('The URL of the repository.'),
    ref: z
      .string()
      .nullable()
      .describe('The branch, tag or commit that was asked for; null for the default branch.'),
    path: z.string().nullable().describe('The directory of the repository; null for the whole repository.'),
    commit: z.string().describe('The id of the commit, in hexadecimal digits.'),
  })
  .meta({ id: 'GitCommit', description: 'The commit of a Git repository that files came from.' });

export type GitCommit = Readonly<z.output<typeof gitCommitSchema>>;
