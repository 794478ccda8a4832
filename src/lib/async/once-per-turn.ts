/**
 * A costly check, made once for all callers in the same turn of the event loop: their requests had arrived before the
 * first of them was served.
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
