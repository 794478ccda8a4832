/** The shares of a lab, a workspace or a snapshot, in requests and replies. */
import * as z from 'zod';
import { maxShares, shareSchema } from '../../access/model/groups.ts';

export const sharesSchema = z
  .array(shareSchema)
  .max(maxShares, `must have at most ${maxShares} shares`)
  .describe('The users and groups with whom its owner shares it.');
