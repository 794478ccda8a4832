/** The configuration: the checked settings, with those that belong together in groups and defaults of this machine. */
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { liveSettings, type LiveSettings, type SettingValues } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The server's address of an SSH session: the third of the four words in `SSH_CONNECTION` (sshd(8)). */
function sshServerAddress(connection: string | undefined): string | undefined {
  const address = connection?.trim().split(/\s+/)[2];
  // A link-local IPv6 address carries its zone (fe80::1%eth0); net.isIP knows zones.
  return address !== undefined && net.isIP(address) !== 0 ? address : undefined;
}

export function defaultDataDir(env: Environment): string {
  const state = env['XDG_STATE_HOME'];
  // The XDG base directory specification: a path that is not absolute is to be ignored.
  if (state && path.isAbsolute(state)) return path.join(state, 'lab-api');
  return path.join(os.homedir(), '.local', 'state', 'lab-api');
}

export interface TlsSettings {
  readonly certFile: string;
  readonly keyFile: string;
  /** The service makes the certificate and keeps it; both files are one then. */
  readonly isSelfSigned: boolean;
}

function tlsSettings(
  { tls, tlsCert, tlsKey }: Pick<SettingValues, 'tls' | 'tlsCert' | 'tlsKey'>,
  dataDir: string,
): TlsSettings | undefined {
  if (tls === 'self-signed') {
    const pairFile = path.join(dataDir, 'tls', 'self-signed.pem');
    return { certFile: pairFile, keyFile: pairFile, isSelfSigned: true };
  }
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { certFile: path.resolve(tlsCert), keyFile: path.resolve(tlsKey), isSelfSigned: false };
}

export interface ClusterSettings {
  readonly redisUrl: string;
  /** Shared by all hosts, and known to no other program. */
  readonly secret: string;
  /** Default: the name of the machine. */
  readonly hostName: string;
  /** Undefined for where the service listens. */
  readonly hostUrl: string | undefined;
  readonly hostLabels: readonly string[];
}

type ClusterValues = Pick<
  SettingValues,
  'redisUrl' | 'clusterSecret' | 'hostName' | 'hostUrl' | 'hostLabels'
>;

function clusterSettings(values: ClusterValues): ClusterSettings | undefined {
  const { redisUrl, clusterSecret: secret, hostName, hostUrl, hostLabels } = values;
  if (redisUrl === undefined || secret === undefined) return undefined;
  return {
    redisUrl,
    secret,
    hostName: hostName ?? os.hostname(),
    hostUrl: hostUrl?.replace(/\/+$/, ''),
    hostLabels,
  };
}

/** Two settings that belong together, if both are there. */
function both<First, Second>(
  first: First | undefined,
  second: Second | undefined,
): readonly [First, Second] | undefined {
  return first === undefined || second === undefined ? undefined : [first, second];
}

type OidcName = Extract<keyof SettingValues, `oidc${string}`>;

function oidcSettings({ publicUrl, ...values }: Pick<SettingValues, OidcName | 'publicUrl'>) {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcRoles: roles } = values;
  if (publicUrl === undefined || issuer === undefined || clientId === undefined || roles === undefined)
    return undefined;
  return {
    issuer,
    clientId,
    /** Undefined for a public client. */
    clientSecret: values.oidcClientSecret,
    scopes: values.oidcScopes,
    /** On the login page. */
    name: values.oidcName,
    roles,
    roleClaim: values.oidcRoleClaim,
    userClaim: values.oidcUserClaim,
    checkMs: values.oidcCheckMs,
    redirectUrl: `${publicUrl}/session/oidc/callback`,
    pageUrl: `${publicUrl}/ui/`,
  };
}

/** The settings without those of the identity provider. */
function withoutOidc(values: SettingValues): Omit<SettingValues, OidcName> {
  const others = Object.entries(values).filter(([name]) => !name.startsWith('oidc'));
  return Object.fromEntries(others) as unknown as Omit<SettingValues, OidcName>;
}

/** Splits off the settings that a reload changes. */
function withLive<Values extends LiveSettings>(values: Values) {
  const names: ReadonlySet<string> = new Set(liveSettings);
  const fixed = Object.entries(values).filter(([name]) => !names.has(name));
  const live = Object.fromEntries(liveSettings.map((name) => [name, values[name]]));
  type Split = Omit<Values, keyof LiveSettings> & { readonly live: LiveSettings };
  return { ...Object.fromEntries(fixed), live } as unknown as Split;
}

/** The configuration of sound settings. */
export function configOf(values: SettingValues, env: Environment) {
  const { user, password, trustedProxies, proxyUserHeader, tls, tlsCert, tlsKey, cli, clis, ...others } =
    withoutOidc(values);
  const { webhookUrl, webhookEvents, webhookSecret, webhookHosts, ...more } = others;
  const { redisUrl, clusterSecret, hostName, hostUrl, hostLabels, gitHosts, gitCredentials, ...single } =
    more;
  const auth = both(user, password);
  const dataDir = values.dataDir ?? defaultDataDir(env);
  const [firstCli, ...moreClis] = clis ?? [cli];
  return Object.freeze({
    ...withLive(single),
    bind: values.bind ?? sshServerAddress(env['SSH_CONNECTION']) ?? '127.0.0.1',
    /** The administrator that the settings name. */
    auth: auth && { user: auth[0], password: auth[1] },
    /** The proxies that name the user of a request, by a header (lower case) that is refused from other clients. */
    proxy:
      proxyUserHeader === undefined ? undefined : { addresses: trustedProxies, userHeader: proxyUserHeader },
    /** The identity provider; undefined without one. */
    oidc: oidcSettings(values),
    tls: tlsSettings({ tls, tlsCert, tlsKey }, dataDir),
    /** The lab CLI of jobs and labs that name none. */
    cli: firstCli,
    /** The other lab CLIs, each of another kind. */
    moreClis,
    dataDir,
    workspacesDir: values.workspacesDir ?? path.join(dataDir, 'workspaces'),
    git: { hosts: gitHosts, credentials: gitCredentials },
    webhooks: { url: webhookUrl, events: webhookEvents, secret: webhookSecret, hosts: webhookHosts },
    /** Undefined for a service that works alone. */
    cluster: clusterSettings({ redisUrl, clusterSecret, hostName, hostUrl, hostLabels }),
  });
}

/** The whole configuration, checked. A reload changes `live` alone. Durations in ms, sizes in bytes. */
export type Config = ReturnType<typeof configOf>;
