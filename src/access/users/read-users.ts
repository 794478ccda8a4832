import type { User } from '../model/user.ts';
import { parseYaml, usersOf } from './parse-users.ts';
import { readUsersFile } from './read-users-file.ts';
import { naming } from './users-file-error.ts';

/**
 * The users of a file, as the service takes them.
 * @param own The name of LAB_API_USER, which none of them may have.
 * @throws UsersFileError whose every sentence names the file.
 */
export async function readUsers(file: string, own: string | undefined): Promise<readonly User[]> {
  const text = await readUsersFile(file);
  return naming(file, () => usersOf(parseYaml(text), own));
}
