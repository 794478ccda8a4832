/**
 * The variables with which `git` runs: no configuration, helper, hook, prompt or protocol of the machine or of a repository
 * has a say, and no other variable of the service reaches it. See git(1) and git-config(1).
 */

/** A login for the repositories below a URL. */
export interface GitCredential {
  /** Without the login. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that an administrator may have set for the service: the way to other hosts, and the authorities to trust. */
const passedOn = [
  'PATH',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]),
];

const configuration: Readonly<Record<string, string>> = {
  // A redirect, and the alternates that a dumb server names, could lead to hosts that are not allowed.
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '100',
  'http.lowSpeedTime': '20',
  'core.hooksPath': '/dev/null',
  'core.symlinks': 'false',
  'core.fsmonitor': 'false',
  'credential.helper': '',
  'core.askPass': '',
  'fetch.recurseSubmodules': 'false',
  'submodule.recurse': 'false',
  'transfer.bundleURI': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  // All that a server sends is one file, whose size is limited; and little of it is in memory.
  'fetch.unpackLimit': '1',
  'pack.threads': '1',
  'core.bigFileThreshold': '1m',
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  // The second fetch asks for files alone: there is nothing to negotiate.
  'fetch.negotiationAlgorithm': 'noop',
  'remote.origin.promisor': 'true',
  'remote.origin.partialCloneFilter': 'blob:none',
};

/** In variables: other users see the arguments of a process, and not these. */
function asVariables(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const numbered = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(numbered) };
}

/** Whether git has a login for a repository: one of the same host and port, with a path above it or none. */
export function hasLoginFor(repository: string, credentials: readonly GitCredential[]): boolean {
  const within = (url: string): string => (url.endsWith('/') ? url : `${url}/`);
  return credentials.some(({ url }) => within(repository).startsWith(within(url)));
}

function loginHeader({ user, password }: GitCredential): string {
  return `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

interface Place {
  /** The repository, a directory. */
  readonly repository: string;
  /** An empty directory in the place of a home. */
  readonly home: string;
}

/** For commands that read the repository on disk: they never ask the network for what is missing there. */
export function localEnvironment(env: Variables, { repository, home }: Place): Record<string, string> {
  const kept = passedOn.map((name) => [name, env[name]] as const);
  return {
    ...Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    HOME: home,
    LC_ALL: 'C',
    GIT_DIR: repository,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    ...asVariables(Object.entries(configuration)),
  };
}

/** For commands that ask the server of `url`, with the logins there are. */
export function remoteEnvironment(
  env: Variables,
  place: Place,
  { url, credentials }: { readonly url: string; readonly credentials: readonly GitCredential[] },
): Record<string, string> {
  // The empty value takes away the login of a shorter URL: both would be sent.
  const logins = credentials.flatMap((one) => {
    const key = `http.${one.url}.extraHeader`;
    return [[key, ''] as const, [key, loginHeader(one)] as const];
  });
  const entries = [...Object.entries(configuration), ['remote.origin.url', url] as const, ...logins];
  return { ...localEnvironment(env, place), GIT_ALLOW_PROTOCOL: 'https', ...asVariables(entries) };
}
