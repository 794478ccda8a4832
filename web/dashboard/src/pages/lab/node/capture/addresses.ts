/** Addresses in packets as people write them. */

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

export function macText(bytes: Uint8Array, at: number): string {
  return Array.from(bytes.subarray(at, at + 6), hex).join(':');
}

export function ipv4Text(bytes: Uint8Array, at: number): string {
  return bytes.subarray(at, at + 4).join('.');
}

/** As RFC 5952 has it: the longest run of zeros, of two groups at least, is left out. */
export function ipv6Text(bytes: Uint8Array, at: number): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 16);
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(index * 2).toString(16)).join(':');
  const runs = [...groups.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const [first] = runs.toSorted((one, other) => other[0].length - one[0].length);
  if (first === undefined) return groups;
  const before = groups.slice(0, first.index).replace(/:$/, '');
  const after = groups.slice(first.index + first[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}
