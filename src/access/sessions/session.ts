/** A login that a browser has: what is kept of it. */
import * as z from 'zod';

export const sessionSchema = z.object({
  /** The first part of the secret, by which the session is found. */
  id: z.string(),
  /** Of the whole secret, in hexadecimal. */
  sha256: z.string(),
  /** The user's name. */
  user: z.string(),
  /** The token that it was begun with; null for a password. */
  tokenId: z.string().nullable(),
  /**
   * What the user was at the login (role, directories, password or token), as a hash whose key is the secret. So a change is
   * seen that was made while the service was down, and whoever reads the file can try no passwords on it.
   */
  mark: z.string(),
  startedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
export type Session = Readonly<z.infer<typeof sessionSchema>>;
