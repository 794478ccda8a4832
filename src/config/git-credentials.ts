import * as z from 'zod';

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
