import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A users file with this text, in a directory of its own. */
export function usersFile(root: string, text: string): string {
  const file = path.join(mkdtempSync(path.join(root, 'users-')), 'users.yaml');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** A course with its administrator, its teacher, two students and a visitor. */
export const courseRoles = { ann: 'admin', tom: 'operator', sue: 'operator', sam: 'operator', vic: 'viewer' };

interface TokenUser {
  readonly name: string;
  readonly role: string;
  readonly tokens: readonly { readonly id: string; readonly sha256: string }[];
}

/** Users of these roles, each with a token; `as` gives the headers of their requests. */
export function usersWithTokens(roles: Readonly<Record<string, string>>): {
  readonly users: readonly TokenUser[];
  readonly as: (name: string) => { readonly Authorization: string };
} {
  const secretOf = (name: string): string => {
    return `tok_0000000${Object.keys(roles).indexOf(name).toString(16)}_of-${name}`;
  };
  const users = Object.entries(roles).map(([name, role]) => {
    const secret = secretOf(name);
    const sha256 = createHash('sha256').update(secret).digest('hex');
    return { name, role, tokens: [{ id: secret.slice(0, 'tok_00000000'.length), sha256 }] };
  });
  return { users, as: (name) => ({ Authorization: `Bearer ${secretOf(name)}` }) };
}
