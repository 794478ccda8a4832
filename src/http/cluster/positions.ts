/** Where a client is in the feeds of several hosts: one id for all, for `Last-Event-ID`. */

const prefix = 'hosts:';

/** By the id of a host: the id of the last event of its feed. Neither has a comma or an equals sign. */
export type Positions = ReadonlyMap<string, string>;

export function encodePositions(positions: Positions): string {
  return prefix + [...positions].map(([host, id]) => `${host}=${id}`).join(',');
}

/** Undefined for what is no such id: it may be one of a service that worked alone. */
export function decodePositions(text: string): Positions | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const pairs = text.slice(prefix.length).split(',');
  return new Map(
    pairs.flatMap((pair) => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
    }),
  );
}
