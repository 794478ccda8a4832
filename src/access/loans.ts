import { randomBytes } from 'node:crypto';
import type { Loan } from './model/logins.ts';
import type { Principal } from './model/principal.ts';

/** The secrets with which the service sends requests to itself for a client. Each has 256 random bits. */
export class Loans {
  readonly #borrowers = new Map<
    string,
    { readonly principal: Principal; readonly address: string | undefined }
  >();

  lend(principal: Principal, address: string | undefined): Loan {
    const secret = randomBytes(32).toString('base64url');
    this.#borrowers.set(secret, { principal, address });
    return { secret, end: () => this.#borrowers.delete(secret) };
  }

  principalOf(secret: string): Principal | undefined {
    return this.#borrowers.get(secret)?.principal;
  }

  addressOf(secret: string): string | undefined {
    return this.#borrowers.get(secret)?.address;
  }
}
