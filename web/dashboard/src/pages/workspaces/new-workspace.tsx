import { Alert, Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconFileZip, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Workspace } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import { sizeText } from '../../parts/size-text.ts';
import { workspaceNameProblem } from '../../parts/workspace-name.ts';
import { archiveType, nameFromArchive } from './names.ts';
import { pageOf } from './paths.ts';
import { addUploads } from './upload/uploads.ts';
import { Question } from '../../parts/question.tsx';

interface Props {
  readonly onClose: () => void;
  readonly known: readonly Workspace[];
  /** An archive that was dropped on the page. */
  readonly archive?: File | undefined;
  /** The workspace whose files are replaced; without it, the dialog asks for a name. */
  readonly target?: string | undefined;
}

/** The error of the service about the name; undefined for other errors. */
function refusedName(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  return error.errors.find(({ field }) => field === 'name')?.message;
}

function ArchiveChoice({
  archive,
  onChange,
}: {
  readonly archive: File | undefined;
  readonly onChange: (file: File | undefined) => void;
}) {
  if (archive === undefined)
    return (
      <FileButton
        accept=".tar.gz,.tgz,.zip,application/gzip,application/zip"
        onChange={(file) => onChange(file ?? undefined)}
      >
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconFileZip size={16} aria-hidden />}>
            Choose an archive
          </Button>
        )}
      </FileButton>
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <IconFileZip size={16} aria-hidden />
      <Text size="sm" truncate>
        {archive.name}
      </Text>
      <Text size="sm" c="dimmed" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {sizeText(archive.size)}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        leftSection={<IconX size={14} aria-hidden />}
        onClick={() => onChange(undefined)}
      >
        Choose another{' '}
      </Button>
    </Group>
  );
}

function Replaced({ workspace: { name, files, size } }: { readonly workspace: Workspace }) {
  return (
    <Alert color="orange" variant="outline" icon={<IconAlertTriangle aria-hidden />} title={`${name} exists`}>
      The archive replaces all of its content: {files} {files === 1 ? 'file' : 'files'}, {sizeText(size)}.
    </Alert>
  );
}

/** Creates a workspace: empty, or from an archive that is uploaded after the dialog is closed. */
export function NewWorkspace({ onClose, known, archive: dropped, target }: Props) {
  const [archive, setArchive] = useState(dropped);
  const [name, setName] = useState(target ?? (dropped ? nameFromArchive(dropped.name) : ''));
  const [, navigate] = useLocation();
  const make = useMutation({
    mutationFn: async () => client.workspaces.make(name),
    onSuccess: async () => {
      await fetchAgain(['workspaces']);
      onClose();
      navigate(pageOf(name));
    },
  });
  const there = known.find((workspace) => workspace.name === name);
  const type = archive && archiveType(archive.name);
  const isNoArchive = archive !== undefined && type === undefined;
  const isTaken = there !== undefined && archive === undefined;
  const problem = isTaken ? 'a workspace of this name exists' : workspaceNameProblem(name);
  const isReady = problem === undefined && !isNoArchive && (target === undefined || archive !== undefined);
  const submit = (): void => {
    if (!isReady) return;
    if (archive === undefined) return make.mutate();
    addUploads([{ workspace: name, path: undefined, file: archive, type }]);
    onClose();
  };
  return (
    <Question
      title={target === undefined ? 'New workspace' : `Replace the files of ${target}`}
      yes={archive === undefined ? 'Create' : there ? 'Replace its files' : 'Upload'}
      isForm
      isDangerous={there !== undefined && archive !== undefined}
      isBusy={make.isPending}
      isDisabled={!isReady}
      error={refusedName(make.error) === undefined ? make.error : null}
      onClose={onClose}
      onYes={submit}
    >
      {target === undefined && (
        <TextInput
          label="Name"
          description="Lower-case letters, digits and . _ - ; at most 63 characters"
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => {
            make.reset();
            setName(event.currentTarget.value);
          }}
          error={name === '' ? undefined : (refusedName(make.error) ?? problem)}
        />
      )}
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {target === undefined ? 'Files (optional)' : 'Files'}
        </Text>
        <Text size="xs" c="dimmed">
          A .tar.gz or .zip with the files of the lab. Without an archive, the workspace is empty.
        </Text>
        <ArchiveChoice
          archive={archive}
          onChange={(file) => {
            setArchive(file);
            if (file && name === '') setName(nameFromArchive(file.name));
          }}
        />
      </Stack>
      {isNoArchive && (
        <Alert color="red" variant="light" role="alert">
          An archive must be a .tar.gz or .zip file: {archive.name} is neither.
        </Alert>
      )}
      {there && archive && <Replaced workspace={there} />}
    </Question>
  );
}
