import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Session } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { changeOwnPassword } from '../../api/login.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { TokenList } from '../../parts/account/token-list.tsx';
import { passwordProblem } from '../../parts/account/password-problem.ts';

/** The tokens of the user. The service refuses more to a user who is not an administrator and logged in with one. */
export function OwnTokens({ user, session }: { readonly user: string; readonly session: Session }) {
  const isByToken = session.tokenId !== null && session.role !== 'admin';
  return (
    <TokenList user={user} {...(isByToken && { whyNone: 'To create a token, log in with your password.' })} />
  );
}

const isWrong = (error: unknown): boolean =>
  error instanceof ServiceError && error.errors.some(({ field }) => field === 'currentPassword');

const empty = { current: '', next: '', again: '' };

/** Changes the user's own password. */
export function OwnPassword({ user }: { readonly user: string }) {
  const [words, setWords] = useState(empty);
  const { current, next, again } = words;
  const present = useRef<HTMLInputElement>(null);
  const change = useMutation({
    mutationFn: async () => changeOwnPassword(current, next),
    onError: () => present.current?.focus(),
    onSuccess: () => {
      setWords(empty);
      notifications.show({ message: 'Your password is changed.', color: 'green' });
    },
  });
  const field = (name: keyof typeof empty, label: string, problem?: string) => (
    <PasswordInput
      {...(name === 'current' && { ref: present })}
      label={label}
      autoComplete={name === 'current' ? 'current-password' : 'new-password'}
      value={words[name]}
      error={words[name] === '' ? undefined : problem}
      onChange={(event) => {
        change.reset();
        setWords({ ...words, [name]: event.currentTarget.value });
      }}
    />
  );
  const isRefused = isWrong(change.error);
  const isReady = current !== '' && passwordProblem(next) === undefined && again === next;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) change.mutate();
      }}
    >
      <Stack gap="sm">
        <input type="text" name="username" autoComplete="username" value={user} readOnly hidden />
        {field('current', 'Present password', isRefused ? 'This is not your present password' : undefined)}
        {field('next', 'New password', passwordProblem(next))}
        {field('again', 'New password again', again === next ? undefined : 'differs from the new password')}
        {change.error && !isRefused && (
          <ProblemNotice error={change.error} title="The password was not changed" />
        )}
        <Group gap="sm">
          <Button type="submit" size="xs" disabled={!isReady} loading={change.isPending}>
            Change the password
          </Button>
          <Text size="xs" c="dimmed">
            Your other browsers are logged out. Tokens stay.
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
