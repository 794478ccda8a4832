import { Center, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { followLive } from '../../api/live.ts';
import { followOtherPages } from '../../api/login.ts';
import { useSession } from '../../api/queries.ts';
import { needsLogin } from '../../api/query-client.ts';
import { useStore } from '../../api/store.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { SignInAgain, SignInPage } from './sign-in.tsx';

interface ArrivingProps {
  /** The error of the last attempt; null before the first one. */
  readonly reason: Error | null;
  readonly hasGivenUp: boolean;
  readonly onRetry: () => void;
}

/** Shown until the service has answered. */
function Arriving({ reason, hasGivenUp, onRetry }: ArrivingProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      {hasGivenUp ? (
        <ProblemNotice error={reason} title="The service does not accept this page" onRetry={onRetry} />
      ) : (
        <Stack align="center" gap="sm" role="status">
          <Loader aria-label="Loading" />
          {reason && <Text c="dimmed">The service does not answer; trying again.</Text>}
        </Stack>
      )}
    </Center>
  );
}

const isRefusedLogin = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status === 401 || error.status === 429);

/** Another user may have logged in through a proxy or in another page: reload, because this data is not for them. */
function useOneUser(user: string | null | undefined): void {
  const first = useRef(user);
  useEffect(() => {
    if (first.current === undefined) first.current = user;
    else if (user !== undefined && user !== first.current) location.reload();
  }, [user]);
}

/** Asks for a login if there is none. When a login expires later, the page stays, and asks for a new login above it. */
export function LoginGate({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const isMissing = useStore(needsLogin);
  const isKnown = session.data !== undefined;
  useEffect(() => (isKnown && !isMissing ? followLive() : undefined), [isKnown, isMissing]);
  useEffect(followOtherPages, []);
  useOneUser(session.data?.user);
  if (isKnown)
    return (
      <>
        {children}
        {isMissing && <SignInAgain user={session.data.user} />}
      </>
    );
  if (isMissing || isRefusedLogin(session.error)) return <SignInPage refusal={session.error} />;
  return (
    <Arriving
      reason={session.failureReason}
      hasGivenUp={session.isError}
      onRetry={() => void session.refetch()}
    />
  );
}
