import { statSync } from 'node:fs';
import * as z from 'zod';
import { isAmong } from '../lib/net/outbound-url.ts';
import type { Config } from './config.ts';

/** As it is when it has a `%` that begins no escape. */
function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Logins for repositories, as git-credential-store(1) writes them. The sentence about a wrong one does not repeat it. */
export const gitCredentials = z.string().transform((value, context) => {
  const entries = value.replaceAll(/^\s*#.*$/gm, '').match(/\S+/g) ?? [];
  return entries.flatMap((entry, index) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    const isLogin = url?.protocol === 'https:' && url.password !== '' && url.search + url.hash === '';
    if (url === undefined || !isLogin) {
      context.addIssue(`entry ${index + 1} is not https://USER:PASSWORD@HOST`);
      return [];
    }
    const [user, password] = [decoded(url.username), decoded(url.password)];
    [url.username, url.password] = ['', ''];
    return [{ url: url.href, user, password }];
  });
});

/** A sentence about the file of logins when all users of the machine can read it, not only its owner and its group. */
export function openLogins(file: string | undefined): string[] {
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
  if ((mode & 0o004) === 0) return [];
  return [
    `LAB_API_GIT_CREDENTIALS_FILE: all users of this machine can read the logins in ${file}: chmod o= ${file}`,
  ];
}

/** Sentences about logins that no repository gets. */
export function unusedLogins({ hosts, credentials }: Config['git']): string[] {
  return credentials
    .map(({ url }) => new URL(url))
    .filter((url) => !isAmong(hosts, url))
    .map(
      ({ host }) => `LAB_API_GIT_CREDENTIALS has a login for ${host}, which LAB_API_GIT_HOSTS does not name`,
    );
}
