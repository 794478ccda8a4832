/** Finds the user by a password, a token or a key, under the rules and the counters of HTTP. */
import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import type * as Ssh2 from 'ssh2';
import type { LoginOutcome } from '../access/model/logins.ts';
import { anybody, type Principal } from '../access/model/principal.ts';
import { fingerprintOf } from '../lib/net/ssh-key.ts';
import { maxKeyOffers, maxLogins } from './limits.ts';
import type { GatewayDeps } from './model.ts';

/** The ways that a refusal names. */
const ways: ('password' | 'publickey')[] = ['publickey', 'password'];

/** An outcome that says nothing: a key that was only offered, or is unknown, is no guess. */
export type Judged = LoginOutcome | { readonly kind: 'nothing' } | { readonly kind: 'too-many' };

const nothing = { kind: 'nothing' } as const;
const tooMany = { kind: 'too-many' } as const;

interface LoginOptions {
  readonly deps: Pick<GatewayDeps, 'logins' | 'countedAddress'>;
  readonly ssh2: typeof Ssh2;
  readonly address: string | undefined;
  /** The user of a stream that was authenticated already. */
  readonly known: Principal | undefined;
}

export class SshLogin {
  readonly #options: LoginOptions;
  /** Requests with a known key and no signature yet: the answer asks for one. */
  readonly #offered = new WeakSet<AuthContext>();
  #offers = 0;
  #tries = 0;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** ssh2 goes on at once when the login is accepted. */
  answer(context: AuthContext, { kind }: Judged): void {
    if (kind === 'known' || this.#offered.has(context)) context.accept();
    else context.reject(ways);
  }

  async judge(context: AuthContext): Promise<Judged> {
    const { logins } = this.#options.deps;
    const known = this.#options.known ?? (logins.isRequired ? undefined : anybody);
    if (known !== undefined) return { kind: 'known', principal: known };
    if (context.method === 'password') return this.#byPassword(context.password);
    if ((this.#offers += 1) > maxKeyOffers) return tooMany;
    // `none` asks for the ways.
    return context.method === 'publickey' ? this.#byKey(context) : nothing;
  }

  /** A token has no colon; a password stands behind the name of its user. */
  async #byPassword(text: string): Promise<Judged> {
    if ((this.#tries += 1) > maxLogins) return tooMany;
    const { deps, address } = this.#options;
    const counted = deps.countedAddress(address);
    const colon = text.indexOf(':');
    if (colon === -1) return deps.logins.byToken(text, counted);
    return deps.logins.byPassword(text.slice(0, colon), text.slice(colon + 1), counted);
  }

  #byKey(context: PublicKeyAuthContext): Judged {
    const { key, hashAlgo } = context;
    // To ssh2, rsa-sha2-256 is ssh-rsa with a hash (RFC 8332); without one, RSA signs SHA-1.
    if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return nothing;
    const outcome = this.#options.deps.logins.byKey(fingerprintOf(key.data));
    if (outcome === undefined) return nothing;
    if (context.signature === undefined) {
      this.#offered.add(context);
      return nothing;
    }
    return this.#isSigned(context) ? outcome : nothing;
  }

  #isSigned({ key: { algo, data }, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
    if (blob === undefined || signature === undefined) return false;
    const parsed = this.#options.ssh2.utils.parseKey(data);
    if (parsed instanceof Error || parsed.type !== algo) return false;
    // It returns an error where the signature cannot be read, whatever the types say.
    const isRight: unknown = parsed.verify(blob, signature, hashAlgo);
    return isRight === true;
  }
}
