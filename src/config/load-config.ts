/** Reads the settings from the environment and the command line, and checks them. */
import { messageOf } from '../lib/app-error.ts';
import { closest } from '../lib/text/did-you-mean.ts';
import { readRegularFile } from '../lib/files/read-regular-file.ts';
import { configOf, type Config, type Environment } from './config.ts';
import { withSettingsFile, type GivenVariables } from './settings-file.ts';
import {
  clientVariables,
  flaggedSettings,
  secretVariables,
  settingNames,
  settingOf,
  settings,
  settingsSchema,
  type Flags,
  type SettingName,
  type SettingValues,
} from './settings.ts';

/** Everything that is wrong with the configuration, one sentence each; each names the variable or the flag. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** A flag as the user gave it, and its variable: `--port (LAB_API_PORT)`. */
export function flagName(setting: SettingName): string {
  const { flag = '', variable } = settingOf(setting);
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} (${variable})`;
}

/** The texts to check by their settings, and for each the name by which the user gave it. */
class Sources {
  readonly values: { [Name in SettingName]?: string } = {};
  readonly names = new Map<SettingName, string>();
  readonly problems: string[] = [];
  /** The settings whose file could not be used. */
  readonly unread = new Set<SettingName>();

  constructor(env: Environment, flags: Flags) {
    const flagOf = (setting: SettingName): string | undefined =>
      flags[settingOf(setting).flag as keyof Flags];
    const unflagged = settingNames.filter((setting) => flagOf(setting) === undefined);
    for (const setting of unflagged) {
      const { variable } = settings[setting];
      this.#take(setting, env[variable], variable);
    }
    for (const setting of unflagged.filter((name) => settingOf(name).isSecret === true)) {
      const file = env[`${settings[setting].variable}_FILE`];
      if (file) this.#takeSecretFile(setting, file);
    }
    for (const setting of flaggedSettings) {
      if (flagOf(setting) === '') this.problems.push(`${flagName(setting)}: the value is empty`);
      this.#take(setting, flagOf(setting), flagName(setting));
    }
  }

  #take(setting: SettingName, value: string | undefined, name: string): void {
    // An empty value means "not set": that is how compose files and env files leave a variable out.
    if (value === undefined || value === '') return;
    this.values[setting] = value;
    this.names.set(setting, name);
  }

  #takeSecretFile(setting: SettingName, file: string): void {
    const { variable } = settings[setting];
    const name = `${variable}_FILE`;
    if (this.values[setting] !== undefined) {
      this.problems.push(`${name}: ${variable} is set as well; keep one of the two`);
      return;
    }
    const refuse = (problem: string): void => {
      this.problems.push(`${name}: ${problem}`);
      this.unread.add(setting);
    };
    try {
      const content = readRegularFile(file)
        .toString('utf8')
        .replace(/\r?\n$/, '');
      if (content === '') refuse(`${file} is empty`);
      else this.#take(setting, content, name);
    } catch (error) {
      refuse(`cannot read the file: ${messageOf(error)}`);
    }
  }
}

function isKnown(variable: string): boolean {
  if (clientVariables.includes(variable)) return true;
  // Some end in _FILE themselves: LAB_API_AUDIT_FILE.
  if (settingNames.some((name) => settings[name].variable === variable)) return true;
  const plain = variable.replace(/_FILE$/, '');
  return plain !== variable && secretVariables.includes(plain);
}

/** Misspelt `LAB_API_*` variables, which would otherwise be silently without effect. */
export function unknownVariables(env: Environment): string[] {
  return Object.keys(env).filter((variable) => variable.startsWith('LAB_API_') && !isKnown(variable));
}

/** The variable that was probably meant by an unknown one. */
export function meantVariable(unknown: string): string | undefined {
  const ofFiles = secretVariables.map((variable) => `${variable}_FILE`);
  return closest(unknown, [...settingNames.map((name) => settings[name].variable), ...ofFiles]);
}

function withoutPartner(given: string, missing: SettingName): string {
  const { variable } = settings[missing];
  const orFile = settingOf(missing).isSecret === true ? ` (or ${variable}_FILE)` : '';
  return `${given} is set but ${variable}${orFile} is not; they belong together`;
}

/** The problem with a pair of settings when one of them is missing. */
function pairProblems({ values, names, unread }: Sources, first: SettingName, second: SettingName): string[] {
  const isFirst = values[first] !== undefined;
  if (isFirst === (values[second] !== undefined)) return [];
  const [given, missing] = isFirst ? [first, second] : [second, first];
  return unread.has(missing) ? [] : [withoutPartner(names.get(given) ?? settings[given].variable, missing)];
}

function loginProblems({ values, names }: Sources): string[] {
  const { user, password, usersFile, trustedProxies, proxyUserHeader } = values;
  const problems: string[] = [];
  if (user !== undefined && password !== undefined) {
    // RFC 7617, section 2: the first colon ends the user name, so such a user could never log in.
    if (user.includes(':')) problems.push(`${names.get('user')}: a user name cannot contain a colon`);
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f]/.test(user + password))
      problems.push(
        'LAB_API_USER, LAB_API_PASSWORD: control characters cannot be sent by a client (RFC 7617, section 2)',
      );
  } else if (trustedProxies !== undefined && proxyUserHeader !== undefined && usersFile === undefined)
    problems.push('LAB_API_PROXY_USER_HEADER: the users that it names must be known: set LAB_API_USERS_FILE');
  return problems;
}

function oidcProblems({ values, names }: Sources, { publicUrl, basePath }: Partial<SettingValues>): string[] {
  if (values.oidcIssuer === undefined) {
    const given = (['oidcClientId', 'oidcClientSecret', 'oidcRoles'] as const).find(
      (name) => values[name] !== undefined,
    );
    return given === undefined ? [] : [`${names.get(given)} is set but LAB_API_OIDC_ISSUER is not`];
  }
  const missing = (['oidcClientId', 'oidcRoles', 'publicUrl'] as const)
    .filter((name) => values[name] === undefined)
    .map((name) => settings[name].variable);
  const problems =
    missing.length > 0 ? [`LAB_API_OIDC_ISSUER: set ${missing.join(', ')} too; they belong together`] : [];
  if (values.proxyUserHeader !== undefined)
    problems.push('LAB_API_OIDC_ISSUER: LAB_API_PROXY_USER_HEADER is set as well; keep one of the two');
  const publicPath = publicUrl && new URL(publicUrl).pathname.replace(/\/$/, '');
  if (publicPath !== undefined && basePath !== undefined && publicPath !== basePath)
    problems.push(`LAB_API_PUBLIC_URL: must end with LAB_API_BASE_PATH, ${basePath || 'which is empty'}`);
  return problems;
}

function labCliProblems({ values }: Sources, clis: readonly string[] | undefined): string[] {
  const { cli } = values;
  const [first] = clis ?? [];
  if (cli === undefined || first === undefined || cli === first) return [];
  return [
    `LAB_API_CLIS: LAB_API_CLI says "${cli}", and the first of the list is "${first}": keep one of the two`,
  ];
}

function clusterProblems(
  { values: { bind = '' }, unread }: Sources,
  parsed: Partial<SettingValues>,
): string[] {
  const { redisUrl, clusterSecret, hostUrl } = parsed;
  const without = (given: SettingName, missing: SettingName): string[] =>
    unread.has(missing) ? [] : [withoutPartner(settings[given].variable, missing)];
  if (redisUrl === undefined) {
    if (clusterSecret !== undefined) return without('clusterSecret', 'redisUrl');
    return hostUrl === undefined ? [] : without('hostUrl', 'redisUrl');
  }
  const problems = clusterSecret === undefined ? without('redisUrl', 'clusterSecret') : [];
  if (hostUrl === undefined && ['0.0.0.0', '::', '[::]'].includes(bind))
    problems.push(
      'LAB_API_HOST_URL: say where the other hosts reach this one; LAB_API_BIND names every address of it',
    );
  return problems;
}

/** The problems between settings; `parsed` is empty when a single setting is wrong. */
function problemsTogether(sources: Sources, parsed: Partial<SettingValues>): string[] {
  const { values, names } = sources;
  const { defaultTtlMs, maxTtlMs } = parsed;
  const [tls, tlsCert] = [names.get('tls'), names.get('tlsCert')];
  return [
    ...pairProblems(sources, 'user', 'password'),
    ...pairProblems(sources, 'trustedProxies', 'proxyUserHeader'),
    ...pairProblems(sources, 'tlsCert', 'tlsKey'),
    // Two certificates: it is unknown which one was meant.
    ...(tls !== undefined && tlsCert !== undefined
      ? [`${tls}: ${tlsCert} is set as well; keep one of the two`]
      : []),
    ...loginProblems(sources),
    ...oidcProblems(sources, parsed),
    // The service reads the files that requests name, and it is root then.
    ...(values.jobUser !== undefined && values.roots === undefined
      ? ['LAB_API_JOB_USER: set LAB_API_ROOTS too: requests must not have root read files elsewhere']
      : []),
    ...labCliProblems(sources, parsed.clis),
    ...(defaultTtlMs !== undefined && maxTtlMs !== undefined && defaultTtlMs > maxTtlMs
      ? ['LAB_API_DEFAULT_TTL: must not be more than LAB_API_MAX_TTL']
      : []),
    ...clusterProblems(sources, parsed),
  ];
}

interface ReadSettings extends GivenVariables {
  readonly config: Config;
  /** As they were given: of those without one, the default holds. */
  readonly texts: Sources['values'];
}

/** As `loadConfig`, with its sources. */
export function readSettings(own: Environment, flags: Flags = {}): ReadSettings {
  const given = withSettingsFile(own);
  // Without the file, most settings would be wrong, and their problems would hide this one.
  if (given.problem !== undefined) throw new ConfigError([given.problem]);
  const sources = new Sources(given.env, flags);
  const { data, error } = settingsSchema.safeParse(sources.values);
  const wrongValues = (error?.issues ?? []).map(({ path: [first], message }) => {
    const setting = first as SettingName;
    return `${sources.names.get(setting) ?? settings[setting].variable}: ${message}`;
  });
  const problems = [...sources.problems, ...wrongValues, ...problemsTogether(sources, data ?? {})];
  if (data === undefined || problems.length > 0) throw new ConfigError(problems);
  return { ...given, config: configOf(data, given.env), texts: sources.values };
}

/**
 * Turns the environment, the settings file and the command line into the configuration.
 * @throws ConfigError with every problem that was found, not the first only.
 */
export function loadConfig(env: Environment, flags: Flags = {}): Config {
  return readSettings(env, flags).config;
}
