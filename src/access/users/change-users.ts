/** Changes of a users file, with its comments and its order. None looks whether the result is in order: whoever writes it does. */
import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Role } from '../model/role.ts';
import type { Token } from '../model/user.ts';
import type { UsersDocument } from './parse-users.ts';
import { UsersFileError } from './users-file-error.ts';

type YamlDocument = UsersDocument['document'];

export interface NewUser {
  readonly name: string;
  readonly role: Role;
  /** The hash; undefined for one that has tokens only, or comes through a proxy. */
  readonly password: string | undefined;
  readonly workdirs: readonly string[];
}

function listIn(map: YamlDocument | YAMLMap, field: string, document: YamlDocument): YAMLSeq {
  const found = map.get(field, true);
  if (isSeq(found)) {
    // `[]` would go on as one long line.
    if (found.items.length === 0) found.flow = false;
    return found;
  }
  const list = document.createNode([]);
  map.set(field, list);
  return list;
}

/** Places of a list, the maps among its items. */
function* mapsOf(list: unknown): Generator<readonly [number, YAMLMap]> {
  if (!isSeq(list)) return;
  for (const [at, item] of list.items.entries()) if (isMap(item)) yield [at, item];
}

const usersIn = (document: YamlDocument): YAMLSeq => listIn(document, 'users', document);

export function noSuchUser(name: string): UsersFileError {
  return new UsersFileError([`there is no user ${JSON.stringify(name)} in this file`]);
}

export function alreadyThere(name: string): UsersFileError {
  const message = `${JSON.stringify(name)} is there already; "lab user passwd" changes a password`;
  return new UsersFileError([message]);
}

function findUser(document: YamlDocument, name: string): readonly [number, YAMLMap] {
  for (const found of mapsOf(usersIn(document))) if (found[1].get('name') === name) return found;
  throw noSuchUser(name);
}

/** @throws UsersFileError when there is one of that name. */
export function addUser(document: YamlDocument, { name, role, password, workdirs }: NewUser): void {
  const users = usersIn(document);
  for (const [, user] of mapsOf(users)) if (user.get('name') === name) throw alreadyThere(name);
  const more = { ...(password !== undefined && { password }), ...(workdirs.length > 0 && { workdirs }) };
  users.add(document.createNode({ name, role, ...more }));
}

/** @throws UsersFileError when there is no such user. */
export function setPassword(document: YamlDocument, name: string, hash: string): void {
  findUser(document, name)[1].set('password', hash);
}

/** @throws UsersFileError when there is no such user. */
export function removeUser(document: YamlDocument, name: string): void {
  usersIn(document).delete(findUser(document, name)[0]);
}

/** @throws UsersFileError when there is no such user. */
export function addToken(document: YamlDocument, name: string, token: Token): void {
  const { id, sha256, note, expiresAtMs } = token;
  const fields = {
    id,
    sha256,
    ...(note !== null && { note }),
    ...(expiresAtMs !== null && { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
  listIn(findUser(document, name)[1], 'tokens', document).add(document.createNode(fields));
}

/** Gives the name of the user that had it. @throws UsersFileError when there is no such token. */
export function removeToken(document: YamlDocument, id: string): string {
  for (const [, user] of mapsOf(usersIn(document))) {
    for (const [at, token] of mapsOf(user.get('tokens', true))) {
      if (token.get('id') !== id) continue;
      user.deleteIn(['tokens', at]);
      return String(user.get('name'));
    }
  }
  throw new UsersFileError([`there is no token ${JSON.stringify(id)} in this file`]);
}
