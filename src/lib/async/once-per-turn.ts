/**
 * A costly look at the world, made once for all who ask in the same turn of the event loop: their requests had come
 * before the first of them was seen to.
 */
export function oncePerTurn<T>(look: () => T): () => T {
  let seen: { readonly value: T } | undefined;
  return () => {
    if (seen === undefined) {
      seen = { value: look() };
      setImmediate(() => (seen = undefined));
    }
    return seen.value;
  };
}
