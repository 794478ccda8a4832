/** Deeper documents are of no lab; those who walk through a value call themselves once for each level. */
const depthMax = 100;

/** A snapshot of 5,000 nodes has a million. Each may take a hundred bytes of memory. */
const valuesMax = 2_000_000;

// The characters "\ [] {} and , by their codes.
const [quote, backslash] = [0x22, 0x5c];
const openers = [0x5b, 0x7b];
const closers = [0x5d, 0x7d];
const comma = 0x2c;

/** Where the string ends that begins at `start`: the place of its closing quote, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/**
 * Why a JSON text is not to be parsed: it nests too deep, or has more values than memory is meant for. Undefined when it may
 * be. It is one look at each byte, some hundred million a second, and says nothing of whether the text is JSON.
 */
export function findExcess(bytes: Uint8Array): string | undefined {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === quote) at = endOfString(bytes, at);
    else if (code === openers[0] || code === openers[1]) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return `it has more than ${depthMax} levels of nesting`;
    } else if (code === closers[0] || code === closers[1]) depth -= 1;
    else if (code === comma) values += 1;
    if (values > valuesMax) return `it has more than ${valuesMax} values`;
  }
  return undefined;
}
