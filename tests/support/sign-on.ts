/** An identity provider, and a browser as far as a login there needs one: cookies and redirects. */
import { afterAll } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { request, type Reply, type RequestOptions } from './http-client.ts';

const program = path.join(__dirname, '..', 'fixtures', 'programs', 'identity-provider.mjs');
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

export interface Provider {
  readonly issuer: string;
  /** The settings of a service that uses it. */
  readonly env: Record<string, string>;
  setGroups: (user: string, groups: readonly string[]) => Promise<void>;
  removeUser: (user: string) => Promise<void>;
  /** Whether it answers with user info. */
  setInfo: (isThere: boolean) => Promise<void>;
  /** As if it, or the network to it, were down. */
  kill: () => Promise<void>;
}

/** Starts a real provider; any password is right there. */
export async function startProvider(publicUrl: string): Promise<Provider> {
  const child = spawn(process.execPath, [program, `${publicUrl}/session/oidc/callback`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.add(child);
  const lines = createInterface({ input: child.stdout });
  const [issuer] = (await once(lines, 'line')) as [string];
  const control = async (method: string, user: string, body?: unknown): Promise<void> =>
    void (await request(issuer, `/control/${encodeURIComponent(user)}`, { method, body }));
  return {
    issuer,
    env: {
      LAB_API_PUBLIC_URL: publicUrl,
      LAB_API_OIDC_ISSUER: issuer,
      LAB_API_OIDC_CLIENT_ID: 'lab-api',
      LAB_API_OIDC_CLIENT_SECRET: 'the secret of lab-api',
      LAB_API_OIDC_SCOPES: 'openid profile groups',
      LAB_API_OIDC_ROLES: 'admin=netops; operator=students',
    },
    setGroups: async (user, groups) => control('PUT', user, groups),
    removeUser: async (user) => control('DELETE', user),
    setInfo: async (isThere) => control('PUT', '', isThere),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

export class Browser {
  readonly #publicUrl: string;
  readonly #serviceUrl: string;
  /** By origin: the cookies by name. */
  readonly #jars = new Map<string, Map<string, string>>();

  /** Requests to `publicUrl` come to the service. */
  constructor(publicUrl: string, { url }: { readonly url: string }) {
    [this.#publicUrl, this.#serviceUrl] = [publicUrl, url];
  }

  /** The cookies for the service. */
  get cookie(): { Cookie: string } {
    return { Cookie: this.#cookiesOf(new URL(this.#publicUrl).origin) };
  }

  #cookiesOf(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends one request, and follows no redirect. */
  async visit(address: string, options: RequestOptions = {}): Promise<Reply> {
    const url = new URL(address);
    const isOfService = address.startsWith(this.#publicUrl);
    const base = isOfService ? this.#serviceUrl : url.origin;
    const target = isOfService ? address.slice(this.#publicUrl.length) : url.pathname + url.search;
    const headers = { Accept: 'text/html', ...options.headers, Cookie: this.#cookiesOf(url.origin) };
    const reply = await request(base, target, { ...options, headers });
    const jar = this.#jars.get(url.origin) ?? new Map<string, string>();
    this.#jars.set(url.origin, jar);
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /Max-Age=0(;|$)/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return reply;
  }

  /** Goes to the provider, and logs in there as `user`. Returns the address at which the provider sends the browser back. */
  async logInAtProvider(user: string, to = '/jobs'): Promise<string> {
    let address = `${this.#publicUrl}/session/oidc?to=${encodeURIComponent(to)}`;
    let options: RequestOptions = {};
    for (let steps = 0; steps < 20; steps += 1) {
      const reply = await this.visit(address, options);
      const location = reply.headers.location;
      if (location !== undefined) {
        [address, options] = [new URL(location, address).href, {}];
        if (address.startsWith(`${this.#publicUrl}/session/oidc/callback`)) return address;
      } else {
        const action = /<form[^>]* action="([^"]+)"/.exec(reply.text)?.[1];
        if (action === undefined) throw new Error(`no form at ${address}: ${reply.status} ${reply.text}`);
        const prompt = /name="prompt" value="(\w+)"/.exec(reply.text)?.[1] ?? '';
        const body = new URLSearchParams({ prompt, login: user, password: 'any' }).toString();
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        [address, options] = [new URL(action, address).href, { method: 'POST', body, headers }];
      }
    }
    throw new Error(`the login of ${user} does not end`);
  }

  /** Logs in at the service through the provider. Returns the reply of the service. */
  async logIn(user: string, to?: string): Promise<Reply> {
    return this.visit(await this.logInAtProvider(user, to));
  }
}
