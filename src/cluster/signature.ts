/**
 * Signs messages between hosts, because access to Redis or to the port of a host must not be enough to start jobs.
 * HMAC-SHA-256 (RFC 2104) with a separate key for each purpose, so that a signature for one purpose is never valid for
 * another.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export type Purpose = 'host' | 'job' | 'message' | 'answer' | 'pass' | 'usage';

export class Signatures {
  readonly #secret: string;
  readonly #keys = new Map<Purpose, Buffer>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** A value as JSON behind its signature. */
  sign(purpose: Purpose, value: unknown): string {
    const text = JSON.stringify(value);
    return `${this.#macOf(purpose, text).toString('base64url')}.${text}`;
  }

  /** The value that was signed; undefined when it was not, or for another purpose. */
  verify(purpose: Purpose, signed: string): unknown {
    const end = signed.indexOf('.');
    const text = signed.slice(end + 1);
    const given = Buffer.from(signed.slice(0, Math.max(end, 0)), 'base64url');
    const mac = this.#macOf(purpose, text);
    if (given.length !== mac.length || !timingSafeEqual(given, mac)) return undefined;
    return JSON.parse(text);
  }

  #macOf(purpose: Purpose, text: string): Buffer {
    let key = this.#keys.get(purpose);
    // HKDF (RFC 5869).
    key ??= Buffer.from(hkdfSync('sha256', this.#secret, '', `lab-api cluster ${purpose}`, 32));
    this.#keys.set(purpose, key);
    return createHmac('sha256', key).update(text).digest();
  }
}
