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
  /** Why the last attempt has failed; null before the first one. */
  readonly reason: Error | null;
  readonly hasGivenUp: boolean;
  readonly onRetry: () => void;
}

/** As long as the service has not said who is there. */
function Arriving({ reason, hasGivenUp, onRetry }: ArrivingProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      {hasGivenUp ? (
        <ProblemNotice error={reason} title="The service does not let this page in" onRetry={onRetry} />
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

/** A proxy, or another page of this browser, may have logged in somebody else: the page is not for their eyes. */
function useOneUser(user: string | null | undefined): void {
  const first = useRef(user);
  useEffect(() => {
    if (first.current === undefined) first.current = user;
    else if (user !== undefined && user !== first.current) location.reload();
  }, [user]);
}

/** Lets in whoever is known. Where a login ends later, the page stays as it is, and asks for a new one above it. */
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
