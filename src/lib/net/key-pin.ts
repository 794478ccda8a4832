import { createHash, type X509Certificate } from 'node:crypto';

/**
 * The SHA-256 of a certificate's key as `curl --pinnedpubkey` takes it (RFC 7469, section 2.4, writes it alike). A renewed
 * certificate of the same key has the same one.
 */
export function keyPin({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(key).digest('base64')}`;
}

export function isKeyPin(text: string): boolean {
  return /^sha256\/\/[A-Za-z0-9+/]{43}=$/.test(text);
}
