import { createHmac } from 'node:crypto';
import type { KeptPassword, User } from '../model/user.ts';

/**
 * Returns, for a name without a hash, the hash of a user against which its password is checked for show: a login must not reveal
 * by its time whether there is such a user. Each kind and cost of hash stands for as many unknown names as users have it. A name
 * has the same one always, also after a restart, and with few exceptions after a change of other users: otherwise its changing
 * time would tell it from a user's. Undefined when no user has a hash: then no login takes any time.
 */
export function decoysOf(users: Iterable<User>): (name: string) => KeptPassword | undefined {
  const kept = [...users].flatMap(({ password }) => (password?.kind === 'hash' ? [password] : []));
  // No stranger knows a hash, and users are added at the end.
  const key = kept[0]?.hash ?? '';
  // The kind and the cost are the beginning of a hash.
  const inOrder = kept.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  return (name) => {
    const place = createHmac('sha256', key).update(name).digest().readUInt32BE() / 2 ** 32;
    return inOrder[Math.floor(place * inOrder.length)];
  };
}
