/** What the words of a session mean to a person. */
import type { Session } from '../../../../../src/client/api-types.ts';

export const roleMeans: Readonly<Record<Session['role'], string>> = {
  viewer: 'may look at everything shown here, and change nothing',
  operator: 'may also start, change and take down labs',
  admin: 'may do everything, and sees what others own',
};

export const wayMeans: Readonly<Record<Session['loggedInBy'], string>> = {
  nothing: 'none: whoever reaches this server may use it',
  password: 'by the password window of the browser',
  token: 'with a token',
  session: 'on this page',
  proxy: 'by the proxy in front of the service',
  host: 'at another host of the cluster',
};

/** What the service looks at, by the names of `GET /readyz`; another one is shown by its name. */
export const checkNames: Readonly<Partial<Record<string, string>>> = {
  'jobs-directory': 'Directory of the jobs',
  'free-disk': 'Free disk space',
  'job-records': 'Records of the jobs',
  'job-starts': 'Starts of jobs',
  'lab-cli': 'Lab CLI',
  'audit-file': 'Audit file',
};
