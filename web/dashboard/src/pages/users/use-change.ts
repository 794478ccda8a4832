import { useMutation } from '@tanstack/react-query';
import type { User, UserChanges } from '../../../../../src/client/api-types.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { sendTo } from '../../api/service.ts';

export interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export const userPath = ({ name }: User): string => `/users/${encodeURIComponent(name)}`;

/** A change of one user, after which the dialog closes. */
export function useChange({ user, onClose }: UserDialogProps) {
  return useMutation({
    mutationFn: async (changes: UserChanges) => sendTo<User>('PATCH', userPath(user), { body: changes }),
    onSuccess: async () => {
      onClose();
      await fetchAgain(['users'], ['tokens'], ['sessions']);
    },
  });
}
