/** How many bytes a UTF-8 character takes, told by its first byte (RFC 3629, section 3); 1 for a byte that starts none. */
function sequenceLength(firstByte: number): number {
  if (firstByte >= 0xc2 && firstByte <= 0xdf) return 2;
  if (firstByte >= 0xe0 && firstByte <= 0xef) return 3;
  if (firstByte >= 0xf0 && firstByte <= 0xf4) return 4;
  return 1;
}

/**
 * How many bytes at the end of `bytes` are the beginning of a character whose rest is still to come (0 to 3).
 * Readers of a growing file hold these back, so that text which was sent never changes.
 */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}
