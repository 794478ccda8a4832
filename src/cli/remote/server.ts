/** Which lab-api a command speaks to, and as whom: options of the command line, else LAB_API_*. */
import type { Command } from 'commander';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isToken, type Credentials } from '../../client/connection.ts';
import { LabApiClient } from '../../client/lab-api-client.ts';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { isKeyPin } from '../../lib/net/key-pin.ts';
import type { Limits, Trust } from './own-fetch.ts';

/** A mistake on the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface ServerOptions {
  readonly server?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tokenFile?: string;
  readonly cacert?: string;
  readonly pin?: string;
  readonly insecure?: boolean;
}

const defaultUrl = 'http://127.0.0.1:8090';

/** The options that stand before a command (`lab --server URL jobs`) or after it. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--server <url>', `URL of the server (LAB_API_URL; default: ${defaultUrl})`)
    .option('--user <name>', 'user name (LAB_API_USER); set its password in LAB_API_PASSWORD')
    .option('--password-file <file>', 'file with the password (LAB_API_PASSWORD_FILE)')
    .option(
      '--token-file <file>',
      'file with a token (LAB_API_TOKEN_FILE); or set the token in LAB_API_TOKEN',
    )
    .option(
      '--cacert <file>',
      'PEM file of certificates to trust instead of those of the system (LAB_API_CACERT)',
    )
    .option('--pin <sha256//…>', 'trust only the server with this key, which its log prints (LAB_API_PIN)')
    .option('--insecure', 'accept any certificate');
}

/** Why a file of the user was not read, or a directory in its place. */
export function whyNotRead(file: string, error: unknown): string {
  const name = file === '-' ? 'standard input' : file;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${name}`;
  if (code === 'EISDIR') return `${name} is a directory`;
  return code === 'EACCES' ? `${name} may not be read by this user` : messageOf(error);
}

/** The text of a file, or of standard input for `-`. `option` begins the sentence of a refusal. @throws UsageError */
export function textOf(file: string, option?: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option === undefined ? '' : `${option}: `}${whyNotRead(file, error)}`);
  }
}

/** A secret in a file, which may end with a line feed. */
export const secretIn = (file: string, option: string): string => textOf(file, option).replace(/\r?\n$/, '');

/** A secret: in the file of the option, in the variable, or in the file that `<variable>_FILE` names. */
function secretFrom(flag: string, given: string | undefined, variable: string): string | undefined {
  if (given !== undefined) return secretIn(given, flag);
  const { [variable]: value, [`${variable}_FILE`]: file } = process.env;
  if (value) return value;
  return file ? secretIn(file, `${variable}_FILE`) : undefined;
}

/** A user that the command line names beats a token of the environment. */
function credentialsOf(options: ServerOptions): Credentials | undefined {
  const token =
    options.user === undefined ? secretFrom('--token-file', options.tokenFile, 'LAB_API_TOKEN') : undefined;
  if (token !== undefined && !isToken(token))
    throw new UsageError('the token must be one line of visible ASCII characters');
  if (token !== undefined) return { token };
  const user = options.user ?? (process.env['LAB_API_USER'] || undefined);
  const password = secretFrom('--password-file', options.passwordFile, 'LAB_API_PASSWORD');
  if (user !== undefined && password !== undefined) return { user, password };
  if (user === undefined && password === undefined) return undefined;
  throw new UsageError(
    user === undefined
      ? 'there is a password, but no user: give --user or LAB_API_USER'
      : `there is no password for ${user}: give --password-file, LAB_API_PASSWORD or LAB_API_PASSWORD_FILE`,
  );
}

/** Node accepts a text without certificates, and then trusts no server. */
function certificatesIn(file: string, what: string): string {
  const content = textOf(file, what);
  try {
    // Checks the first certificate only: this detects wrong files, not damaged ones.
    void new X509Certificate(content);
    return content;
  } catch {
    throw new UsageError(`${what}: ${file} has no certificate (PEM)`);
  }
}

function pinFrom(given: string | undefined, url: string): string | undefined {
  const pin = given ?? (process.env['LAB_API_PIN'] || undefined);
  const what = given === undefined ? 'LAB_API_PIN' : '--pin';
  if (pin === undefined) return undefined;
  if (!isKeyPin(pin))
    throw new UsageError(`${what}: "${pin}" must be sha256// and 44 characters, as in the log of lab-api`);
  if (!/^https:/i.test(url)) throw new UsageError(`${what}: the URL of the server must begin with https://`);
  return pin;
}

function trustFrom({ cacert, pin: givenPin, insecure = false }: ServerOptions, url: string): Trust {
  const file = cacert ?? (process.env['LAB_API_CACERT'] || undefined);
  const pin = pinFrom(givenPin, url);
  const what = cacert === undefined ? 'LAB_API_CACERT' : '--cacert';
  return { ca: file === undefined ? undefined : certificatesIn(file, what), pin, isInsecure: insecure };
}

/** `fetch` with certificates and limits of one's own choice; the global one where the system's will do. */
async function fetchFor(trust: Trust, limits: Limits): Promise<typeof fetch> {
  const { ca, pin, isInsecure } = trust;
  const isUsual = ca === undefined && pin === undefined && !isInsecure;
  if (isUsual && limits.bodyTimeout === undefined) return fetch;
  // The other commands do without undici.
  const { ownFetch } = await import('./own-fetch.ts');
  return ownFetch(trust, limits);
}

/** The error in the address of a service, with an example: many users omit `http://`. */
function wrongServer(what: string, url: string, { message }: TypeError): string {
  // The URL may hold a password, so it is not printed.
  if (url.includes('@')) return `${what}: ${message}`;
  const guess = `http://${url}`;
  const remedy = !url.includes('://') && URL.canParse(guess) ? `: write ${guess}` : '';
  return `${what}: "${url}" is ${message}${remedy}`;
}

/** The variable, where the option was not given. */
const orVariable = (given: string | undefined, variable: string): string | undefined =>
  given ?? (process.env[variable] || undefined);

/** The absolute path of a file that is read once more, by another program. @throws UsageError */
function fileWord(flag: string, file: string): string {
  if (file === '-') throw new UsageError(`${flag}: name a file: standard input can be read only once`);
  return path.resolve(file);
}

/** The files of the credentials, and the user, by the same rules as `credentialsOf`. Secrets in variables stay there. */
function credentialWords({ user: givenUser, ...options }: ServerOptions): [string, string | undefined][] {
  const { LAB_API_TOKEN: token, LAB_API_PASSWORD: password } = process.env;
  const fileOf = (given: string | undefined, variable: string, value: string | undefined) =>
    given ?? (value ? undefined : orVariable(undefined, variable));
  const tokenFile = fileOf(options.tokenFile, 'LAB_API_TOKEN_FILE', token);
  if (givenUser === undefined && (tokenFile !== undefined || token)) return [['--token-file', tokenFile]];
  return [
    ['--user', orVariable(givenUser, 'LAB_API_USER')],
    ['--password-file', fileOf(options.passwordFile, 'LAB_API_PASSWORD_FILE', password)],
  ];
}

/**
 * The options with which another `lab` speaks to the service of `command`, from any directory and, as far as no secret is in one,
 * without the variables. @throws UsageError
 */
export function serverWords(command: Command): string[] {
  const { server, ...options } = command.optsWithGlobals<ServerOptions>();
  const named: [string, string | undefined][] = [
    ['--server', orVariable(server, 'LAB_API_URL') ?? defaultUrl],
    ...credentialWords(options),
    ['--cacert', orVariable(options.cacert, 'LAB_API_CACERT')],
    ['--pin', orVariable(options.pin, 'LAB_API_PIN')],
  ];
  const words = named.flatMap(([flag, value]) => {
    if (value === undefined) return [];
    return [flag, /-file$|^--cacert$/.test(flag) ? fileWord(flag, value) : value];
  });
  return options.insecure === true ? [...words, '--insecure'] : words;
}

/** The service that `command` is to speak to. @throws UsageError */
export async function clientFor(command: Command, limits: Limits = {}): Promise<LabApiClient> {
  const options = command.optsWithGlobals<ServerOptions>();
  const url = options.server ?? (process.env['LAB_API_URL'] || defaultUrl);
  const credentials = credentialsOf(options);
  const trust = trustFrom(options, url);
  try {
    return new LabApiClient({
      url,
      credentials,
      fetch: await fetchFor(trust, limits),
      openSocket: async (...asked) => {
        const { openSocket } = await import('./own-fetch.ts');
        // The same interface; only the types of its events come from two packages.
        return (await openSocket(trust, ...asked)) as unknown as WebSocket;
      },
    });
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(
        wrongServer(options.server === undefined ? 'LAB_API_URL' : '--server', url, error),
      );
    throw error;
  }
}
