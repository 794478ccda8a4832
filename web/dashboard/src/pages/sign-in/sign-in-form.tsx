import { Alert, Button, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { logIn } from '../../api/login.ts';
import { durationText } from '../../parts/duration-text.ts';
import { useNow } from '../../parts/time.tsx';
import { messageOf } from '../../parts/tell.ts';

type Way = 'password' | 'token';

/** The end of the lock-out (ms since 1970) after this answer; 0 when there is none. */
const lockedUntilMs = (error: unknown): number =>
  error instanceof ServiceError && error.status === 429
    ? Date.now() + (error.retryAfterSeconds ?? 60) * 1000
    : 0;

/** The sentences of the service about wrong logins are written for programs too. */
const wrong: Readonly<Record<Way, string>> = {
  password: 'The user or the password is wrong.',
  token: 'This token is unknown or revoked.',
};

/** The service gives another reason where the secret was right: the token has expired, or the user is locked. */
const isWrong = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && error.message.startsWith('a valid login');

function Refusal({ error, way, waitMs }: { error: unknown; way: Way; waitMs: number }) {
  if (waitMs > 0)
    return (
      <Alert color="orange" icon={<IconLock aria-hidden />} title="Too many attempts" role="alert">
        This address is locked after too many failed logins. Try again in{' '}
        <time aria-live="off">{durationText(Math.ceil(waitMs / 1000) * 1000).replace('.0', '')}</time>.
      </Alert>
    );
  if (error instanceof ServiceError && error.status === 429)
    return <Alert color="blue">You can try again now.</Alert>;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert">
      {isWrong(error) ? wrong[way] : messageOf(error)}
    </Alert>
  );
}

interface Props {
  /** The user of the previous login. */
  readonly user?: string;
  /** The refusal of the first request, if it is more than a 401. */
  readonly refusal?: unknown;
}

export function SignInForm({ user: before = '', refusal }: Props) {
  const [way, setWay] = useState<Way>('password');
  const [user, setUser] = useState(before);
  const [secret, setSecret] = useState('');
  const [untilMs, setUntilMs] = useState(() => lockedUntilMs(refusal));
  const login = useMutation({
    mutationFn: async () => logIn(way === 'token' ? { token: secret.trim() } : { user, password: secret }),
    onError: (refused) => {
      setSecret('');
      setUntilMs(lockedUntilMs(refused));
    },
  });
  const error = login.error ?? refusal;
  const waitMs = Math.max(0, untilMs - useNow());
  const isEmpty = secret === '' || (way === 'password' && user === '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && waitMs === 0) login.mutate();
      }}
    >
      <Stack>
        <SegmentedControl
          aria-label="Log in with"
          data={[
            { value: 'password', label: 'Password' },
            { value: 'token', label: 'Token' },
          ]}
          value={way}
          onChange={(value) => {
            setWay(value === 'token' ? 'token' : 'password');
            setSecret('');
            login.reset();
          }}
        />
        {way === 'password' && (
          <TextInput
            label="User"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus={before === '' || undefined}
            value={user}
            onChange={(event) => setUser(event.currentTarget.value)}
          />
        )}
        <PasswordInput
          key={way}
          label={way === 'password' ? 'Password' : 'Token'}
          description={way === 'token' ? 'The output of "lab token create": tok_…' : undefined}
          name={way}
          autoComplete={way === 'password' ? 'current-password' : 'off'}
          data-autofocus={before !== '' || undefined}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
        {error !== undefined && error !== null && <Refusal error={error} way={way} waitMs={waitMs} />}
        <Button type="submit" loading={login.isPending} disabled={isEmpty || waitMs > 0}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}
