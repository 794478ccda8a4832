/** Changes of a users file that keep its comments and its order. They do not validate the result: edit-users-file.ts does. */
import { randomBytes } from 'node:crypto';
import { isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { parseSshKey } from '../../lib/net/ssh-key.ts';
import { sha256Of } from '../../lib/text/sha256.ts';
import type { Role } from '../model/role.ts';
import type { Token } from '../model/user.ts';
import type { UsersDocument } from './parse-users.ts';
import { UsersFileError } from './users-file-error.ts';

export type YamlDocument = UsersDocument['document'];

export interface NewUser {
  readonly name: string;
  readonly role: Role;
  /** The hash; undefined for a user who has tokens only, or who logs in through a proxy. */
  readonly password: string | undefined;
  /** Null for no limit. */
  readonly workdirs: readonly string[] | null;
}

function listIn(map: YamlDocument | YAMLMap, field: string, document: YamlDocument): YAMLSeq {
  const found = map.get(field, true);
  if (isSeq(found)) {
    // A list that began as `[]` would stay on one long line.
    if (found.items.length === 0) found.flow = false;
    return found;
  }
  const list = document.createNode([]);
  map.set(field, list);
  return list;
}

/** Yields the maps among the items of a list, with their places. */
function* mapsOf(list: unknown): Generator<readonly [number, YAMLMap]> {
  if (!isSeq(list)) return;
  for (const [at, item] of list.items.entries()) if (isMap(item)) yield [at, item];
}

function fingerprintIn(item: unknown): string | undefined {
  const parsed = parseSshKey(isScalar(item) ? String(item.value) : '');
  return 'problem' in parsed ? undefined : parsed.fingerprint;
}

const usersIn = (document: YamlDocument): YAMLSeq => listIn(document, 'users', document);

export function noSuchUser(name: string): UsersFileError {
  return new UsersFileError([`there is no user ${JSON.stringify(name)} in this file`]);
}

export function alreadyThere(name: string): UsersFileError {
  const message = `${JSON.stringify(name)} is there already; "lab user passwd" changes a password, "lab user role" a role`;
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
  const more = { ...(password !== undefined && { password }), ...(workdirs !== null && { workdirs }) };
  users.add(document.createNode({ name, role, ...more }));
}

/** The fields that change; null removes one. */
export interface UserChanges {
  readonly role?: Role;
  /** The hash. */
  readonly password?: string | null;
  readonly workdirs?: readonly string[] | null;
  readonly locked?: true | null;
}

/** @throws UsersFileError when there is no such user. */
export function changeUser(document: YamlDocument, name: string, changes: UserChanges): void {
  const [, user] = findUser(document, name);
  for (const [field, value] of Object.entries(changes)) {
    if (value === null) user.delete(field);
    // A plain value replaces the text and keeps the comment behind it.
    else user.set(field, typeof value === 'object' ? document.createNode(value) : value);
  }
}

/**
 * The user leaves all groups, too: a later one of that name must not be in them. Returns the names of these groups.
 * @throws UsersFileError when there is no such user.
 */
export function removeUser(document: YamlDocument, name: string): readonly string[] {
  usersIn(document).delete(findUser(document, name)[0]);
  const groups = [...mapsOf(document.get('groups', true))].map(([, group]) => group);
  const left = groups.filter((group) =>
    // Each list, also when the first has the name.
    ['members', 'leaders'].map((field) => removeName(group.get(field, true), name)).includes(true),
  );
  return left.map((group) => String(group.get('name')));
}

/** Removes the name from a list, which may have it twice; says whether it was there. */
function removeName(list: unknown, name: string): boolean {
  if (!isSeq(list)) return false;
  const before = list.items.length;
  list.items = list.items.filter((item) => (isScalar(item) ? item.value : item) !== name);
  return list.items.length < before;
}

/** Makes a token, and its secret, which is not kept. The secret has a prefix of its own, by which scanners find leaked secrets. */
export function newToken({ note, expiresAtMs }: Pick<Token, 'note' | 'expiresAtMs'>): {
  readonly token: Token;
  readonly secret: string;
} {
  const id = `tok_${randomBytes(4).toString('hex')}`;
  const secret = `${id}_${randomBytes(32).toString('base64url')}`;
  return { token: { id, sha256: sha256Of(secret), note, expiresAtMs }, secret };
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

function ownerOfKey(document: YamlDocument, fingerprint: string | undefined): string | undefined {
  for (const [, user] of mapsOf(usersIn(document))) {
    const keys = user.get('keys', true);
    if (
      isSeq(keys) &&
      keys.items.some((item) => fingerprint !== undefined && fingerprintIn(item) === fingerprint)
    )
      return String(user.get('name'));
  }
  return undefined;
}

/** @param line The line of a `.pub` file. @throws UsersFileError when there is no such user, or a user has the key already. */
export function addKey(document: YamlDocument, name: string, line: string): void {
  const [, user] = findUser(document, name);
  const owner = ownerOfKey(document, fingerprintIn(document.createNode(line)));
  if (owner !== undefined)
    throw new UsersFileError([`${JSON.stringify(owner)} has this key already; a key belongs to one user`]);
  listIn(user, 'keys', document).add(document.createNode(line.trim()));
}

/** @throws UsersFileError when there is no such user, or the user has no such key. */
export function removeKey(document: YamlDocument, name: string, fingerprint: string): void {
  const keys = findUser(document, name)[1].get('keys', true);
  const at = isSeq(keys) ? keys.items.findIndex((item) => fingerprintIn(item) === fingerprint) : -1;
  if (!isSeq(keys) || at === -1)
    throw new UsersFileError([`${JSON.stringify(name)} has no key ${JSON.stringify(fingerprint)}`]);
  keys.delete(at);
}

/** Returns the name of the user who had the token. @throws UsersFileError when there is no such token. */
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
