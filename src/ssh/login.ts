/** Finds the user by a password, a token or a key, under the rules and the counters of HTTP. */
import type { AuthContext, KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2';
import type * as Ssh2 from 'ssh2';
import type { LoginOutcome } from '../access/model/logins.ts';
import { anybody, type Principal } from '../access/model/principal.ts';
import { fingerprintOf } from '../lib/net/ssh-key.ts';
import { maxKeyOffers, maxLogins } from './limits.ts';
import type { GatewayDeps } from './model.ts';

type Way = 'keyboard-interactive' | 'password' | 'publickey';

/** Clients make the prompt of the way `password`, and none tells that the name of the user goes with it. */
const ways: readonly Way[] = ['publickey', 'keyboard-interactive', 'password'];
/** Programs that answer in place of a person look for "password". */
const prompt = { prompt: 'Token, or USER:PASSWORD, as the password: ', echo: false };

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
  #hasPrompted = false;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** ssh2 goes on at once when the login is accepted. */
  answer(context: AuthContext, { kind }: Judged): void {
    if (kind === 'known' || this.#offered.has(context)) context.accept();
    // Or OpenSSH would ask three times more, without the words.
    else context.reject(ways.filter((way) => way !== 'password' || !this.#hasPrompted));
  }

  async judge(context: AuthContext): Promise<Judged> {
    const { logins } = this.#options.deps;
    const known = this.#options.known ?? (logins.isRequired ? undefined : anybody);
    if (known !== undefined) return { kind: 'known', principal: known };
    if (context.method === 'password') return this.#byPassword(context.password);
    if (context.method === 'keyboard-interactive') return this.#byPrompt(context);
    if ((this.#offers += 1) > maxKeyOffers) return tooMany;
    // `none` asks for the ways.
    return context.method === 'publickey' ? this.#byKey(context) : nothing;
  }

  async #byPassword(text: string): Promise<Judged> {
    return (this.#tries += 1) > maxLogins ? tooMany : this.#bySecret(text);
  }

  /** A token has no colon; a password stands behind the name of its user. */
  async #bySecret(text: string): Promise<Judged> {
    const { deps, address } = this.#options;
    const counted = deps.countedAddress(address);
    const colon = text.indexOf(':');
    if (colon === -1) return deps.logins.byToken(text, counted);
    return deps.logins.byPassword(text.slice(0, colon), text.slice(colon + 1), counted);
  }

  /** Prompts count as tries: a client may ask for them without an answer. */
  async #byPrompt(context: KeyboardAuthContext): Promise<Judged> {
    this.#hasPrompted = true;
    if ((this.#tries += 1) > maxLogins) return tooMany;
    let isAborted = false;
    const answers = await new Promise<unknown>((resolve) => {
      context.once('abort', () => (isAborted = true));
      // It is given an error when the client begins another way, whatever the types say.
      context.prompt([prompt], resolve);
    });
    const [text] = Array.isArray(answers) ? (answers as string[]) : [];
    if (text === undefined) return nothing;
    const outcome = await this.#bySecret(text);
    return isAborted && outcome.kind === 'known' ? nothing : outcome;
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
