import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A users file with this text, in a directory of its own. */
export function usersFile(root: string, text: string): string {
  const file = path.join(mkdtempSync(path.join(root, 'users-')), 'users.yaml');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
