import { PasswordInput, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '../../../../../src/client/api-types.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { remove } from '../../api/service.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { passwordProblem } from '../../parts/account/password-problem.ts';
import { SessionList } from '../../parts/account/session-list.tsx';
import { TokenList } from '../../parts/account/token-list.tsx';
import { Question } from '../../parts/question.tsx';
import { useChange, userPath, type UserDialogProps as Props } from './use-change.ts';
import { AddUser, EditUser } from './user-form.tsx';

/** The dialog that is open. */
export type Asked =
  | { readonly kind: 'add' }
  | {
      readonly kind: 'edit' | 'password' | 'lock' | 'tokens' | 'sessions' | 'remove';
      readonly user: User;
    };

function SetPassword(props: Props) {
  const { user, onClose } = props;
  const [password, setPassword] = useState('');
  const change = useChange(props);
  const problem = passwordProblem(password);
  return (
    <Question
      title={`Set a password of ${user.name}`}
      yes="Set the password"
      isForm
      isBusy={change.isPending}
      isDisabled={problem !== undefined}
      error={change.error}
      onClose={onClose}
      onYes={() => change.mutate({ password })}
    >
      <PasswordInput
        label="New password"
        description="Sessions with the old password end. Tokens stay."
        autoComplete="new-password"
        data-autofocus
        value={password}
        error={password === '' ? undefined : problem}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </Question>
  );
}

function Lock(props: Props) {
  const { user, onClose } = props;
  const { name, locked } = user;
  const change = useChange(props);
  return (
    <Question
      title={`${locked ? 'Unlock' : 'Lock'} ${name}?`}
      yes={`${locked ? 'Unlock' : 'Lock'} ${name}`}
      isDangerous={!locked}
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onYes={() => change.mutate({ locked: !locked })}
    >
      <Text size="sm">
        {locked
          ? 'The user can log in again, with the same password and tokens.'
          : 'The user cannot log in until you unlock them. Sessions, terminals and streams end at once. Jobs, labs, workspaces, password and tokens stay.'}
      </Text>
    </Question>
  );
}

function Remove({ user, onClose }: Props) {
  const { name, tokens } = user;
  const removal = useMutation({
    mutationFn: async () => remove(userPath(user)),
    onSuccess: async () => {
      onClose();
      await fetchAgain(['users'], ['tokens'], ['sessions']);
    },
  });
  return (
    <Question
      title={`Remove ${name}?`}
      yes={`Remove ${name}`}
      isDangerous
      isBusy={removal.isPending}
      error={removal.error}
      focus="no"
      onClose={onClose}
      onYes={() => removal.mutate()}
    >
      <Text size="sm">
        This removes the user with {tokens === 0 ? 'the password' : `the password and ${tokens} tokens`}, and
        ends all logins. Jobs, labs and workspaces stay, and belong to that name: a new user of the same name
        owns them.
      </Text>
    </Question>
  );
}

/** The dialog about a user. */
export function UserDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  if (asked.kind === 'add') return <AddUser onClose={onClose} />;
  const { user } = asked;
  switch (asked.kind) {
    case 'edit':
      return <EditUser user={user} onClose={onClose} />;
    case 'password':
      return <SetPassword user={user} onClose={onClose} />;
    case 'lock':
      return <Lock user={user} onClose={onClose} />;
    case 'remove':
      return <Remove user={user} onClose={onClose} />;
    case 'tokens':
      return (
        <Dialog opened onClose={onClose} title={`Tokens of ${user.name}`} size="lg">
          <TokenList user={user.name} />
        </Dialog>
      );
    case 'sessions':
      return (
        <Dialog opened onClose={onClose} title={`Sessions of ${user.name}`} size="lg">
          <SessionList user={user.name} />
        </Dialog>
      );
  }
}
