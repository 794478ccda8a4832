/** An idempotency key that nobody else has. Not `randomUUID`: browsers have that only for pages that came over TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
