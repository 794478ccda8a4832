import { Button, Card, Center, Code, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { loggedOutElsewhere } from '../../api/login.ts';
import { useStore } from '../../api/store.ts';
import { Mark } from '../../parts/mark.tsx';
import { FailedSignOn, here, isSignOnAlone, SignOn } from './sign-on.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** A 401 only means that there is no login yet. */
const newsIn = (refusal: unknown): unknown =>
  refusal instanceof ServiceError && refusal.status === 401 ? undefined : refusal;

/** The first page on a server with user accounts. */
export function SignInPage({ refusal }: { readonly refusal: unknown }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `Log in · ${location.host}`;
    card.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, []);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Stack gap={4} align="center" ta="center">
          <Mark size={40} />
          <Title order={1} size="h3">
            Log in to lab-api
          </Title>
          <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {location.host}
          </Text>
        </Stack>
        <Card ref={card} withBorder padding="lg" radius="md">
          <Stack>
            <FailedSignOn />
            <SignOn to={here()} />
            {!isSignOnAlone && <SignInForm refusal={newsIn(refusal)} />}
          </Stack>
        </Card>
        {!isSignOnAlone && (
          <Text size="sm" c="dimmed" ta="center">
            No login yet? An administrator of this server gives you one. On the server, the command{' '}
            <Code>lab user add NAME</Code> creates it.
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** Above a page whose login has ended, by its time or by an administrator: the page keeps its state. */
export function SignInAgain({ user }: { readonly user: string | null }) {
  const isElsewhere = useStore(loggedOutElsewhere);
  return (
    <Modal
      opened
      centered
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={{ backgroundOpacity: 0.5, blur: 10 }}
      title={isElsewhere ? 'You have logged out' : 'Your login has ended'}
      styles={{ title: { fontWeight: 600 } }}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {isElsewhere ? 'In another window of this browser. ' : ''}
          This page keeps its state until you log in again
          {user === null ? '' : `; it reloads for a user other than ${user}`}.
        </Text>
        <SignOn to={here()} isInNewWindow />
        {!isSignOnAlone && <SignInForm {...(user !== null && { user })} />}
        <Group justify="center">
          <Button variant="subtle" size="compact-sm" onClick={() => location.reload()}>
            Leave the page
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
