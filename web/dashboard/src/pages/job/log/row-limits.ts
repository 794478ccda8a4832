/** A line that is longer than this is shown in several rows, in bytes. */
export const longestRowBytes = 8 * 1024;

/** Where a cut at `at` would not go through a character of UTF-8: there, or up to three bytes before. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4 && at - back > 0; back += 1) {
    // Bytes within a character begin with the bits 10.
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}
