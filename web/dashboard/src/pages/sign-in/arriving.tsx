import { Center, Loader, Stack, Text } from '@mantine/core';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

interface Props {
  /** Why the last attempt has failed; null before the first one. */
  readonly reason: Error | null;
  readonly hasGivenUp: boolean;
  readonly onRetry: () => void;
}

/** As long as the service has not said who is there. */
export function Arriving({ reason, hasGivenUp, onRetry }: Props) {
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
