import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ServiceError } from '../../../../src/client/service-error.ts';
import { messageOf } from './tell.ts';

/** The errors of single fields, unless the sentence above says the same. */
function fieldErrors({ errors, message }: ServiceError) {
  return errors.filter((error) => message !== `${error.field}: ${error.message}`);
}

/** An error of the service in its own sentence, which names the cause and the remedy. */
export function ProblemNotice({
  error,
  title = 'The action failed',
  onRetry,
}: {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}) {
  const problem = error instanceof ServiceError ? error : undefined;
  const errors = problem ? fieldErrors(problem) : [];
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">{messageOf(error)}</Text>
        {errors.length > 0 && (
          <List size="sm">
            {errors.map(({ field, message }) => (
              <List.Item key={`${field} ${message}`}>
                <Code>{field}</Code> {message}
              </List.Item>
            ))}
          </List>
        )}
        <Group gap="md">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem?.requestId !== undefined && (
            <Text size="xs" c="dimmed">
              request <Code>{problem.requestId}</Code>
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
