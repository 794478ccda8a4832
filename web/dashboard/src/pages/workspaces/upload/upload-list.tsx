import { ActionIcon, Anchor, Button, Card, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconCircleCheck, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useStore } from '../../../api/store.ts';
import { sizeText } from '../../../parts/size-text.ts';
import { useQuestionBeforeClosing } from '../../../parts/leaving.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { pageOf } from '../paths.ts';
import { clearFinished, dropUpload, isUnderWay, retryUpload, uploads, type Upload } from './uploads.ts';

const wordsOf = ({ path, file, workspace, state, sentBytes }: Upload): string => {
  const size = sizeText(file.size);
  switch (state.kind) {
    case 'waiting':
      return `waiting, ${size}`;
    case 'sending':
      return sentBytes < file.size ? `${sizeText(sentBytes)} of ${size}` : `${size} sent, checking`;
    case 'done':
      return `${size} uploaded`;
    case 'ended':
      return path === undefined ? `canceled: ${workspace} is unchanged` : 'canceled: nothing was written';
    case 'exists':
      return 'a file of this name exists';
    case 'failed':
      return 'not uploaded';
  }
};

function Mark({ state }: Pick<Upload, 'state'>) {
  if (state.kind === 'done')
    return <IconCircleCheck size={16} color="var(--mantine-color-green-6)" aria-hidden />;
  if (state.kind === 'ended') return <IconBan size={16} color="gray" aria-hidden />;
  if (state.kind === 'exists' || state.kind === 'failed')
    return <IconAlertTriangle size={16} color="var(--mantine-color-orange-6)" aria-hidden />;
  return null;
}

function UploadRow({ upload, isNamed }: { readonly upload: Upload; readonly isNamed: boolean }) {
  const { id, file, path, state, sentBytes, workspace } = upload;
  const label = path ?? file.name;
  const isActive = isUnderWay(upload);
  return (
    <Stack gap={4} component="li">
      <Group gap="xs" wrap="nowrap">
        <Mark state={state} />
        <Text size="sm" fw={500} truncate title={label}>
          {label}
        </Text>
        {isNamed && (
          <Text size="sm" c="dimmed" truncate>
            →{' '}
            {state.kind === 'done' ? (
              <Anchor component={Link} href={pageOf(workspace)} inherit>
                {workspace}
              </Anchor>
            ) : (
              workspace
            )}
          </Text>
        )}
        <Text size="sm" c="dimmed" ml="auto" className="numbers" style={{ whiteSpace: 'nowrap' }}>
          {wordsOf(upload)}
        </Text>
        {state.kind === 'exists' && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => retryUpload(id, true)}
            aria-label={`Replace ${label}`}
          >
            Replace
          </Button>
        )}
        <ActionIcon
          size="sm"
          onClick={() => dropUpload(id)}
          aria-label={isActive ? `Cancel the upload of ${label}` : `Remove ${label} from this list`}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      </Group>
      {isActive && (
        <Progress
          value={file.size === 0 ? 100 : (100 * sentBytes) / file.size}
          size="sm"
          aria-label={`Upload of ${label}`}
        />
      )}
      {state.kind === 'failed' && (
        <ProblemNotice
          error={state.error}
          title={`${label} was not uploaded`}
          onRetry={() => retryUpload(id)}
        />
      )}
    </Stack>
  );
}

/** The uploads of this window, of one workspace or of all; nothing without uploads. */
export function UploadList({ workspace }: { readonly workspace?: string }) {
  const all = useStore(uploads);
  useQuestionBeforeClosing(all.some(isUnderWay));
  const shown = all.filter((upload) => workspace === undefined || upload.workspace === workspace);
  if (shown.length === 0) return null;
  const questions = shown.filter(({ state }) => state.kind === 'exists');
  return (
    <Card withBorder padding="sm" component="section" aria-label="Uploads">
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-live="polite">
        {shown.map((upload) => (
          <UploadRow key={upload.id} upload={upload} isNamed={workspace === undefined} />
        ))}
      </Stack>
      {(questions.length > 1 || shown.some((upload) => !isUnderWay(upload))) && (
        <Group gap="xs" mt="xs" justify="flex-end">
          {questions.length > 1 && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => questions.forEach(({ id }) => retryUpload(id, true))}
            >
              Replace all {questions.length}
            </Button>
          )}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => clearFinished(shown)}>
            Clear
          </Button>
        </Group>
      )}
    </Card>
  );
}
