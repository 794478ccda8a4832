import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { client, tagOf } from '../../../api/service.ts';
import { draftKey, drafts, setDraft } from '../editor/drafts.ts';
import { filePathProblem } from '../names.ts';
import { refreshFiles, writeNew } from '../queries.ts';
import { Question } from '../../../parts/question.tsx';

/** Also moves the draft. */
async function rename(workspace: string, from: string, to: string): Promise<void> {
  const reply = await client.workspaces.readFile(workspace, from);
  const before = tagOf(reply);
  const tag = await writeNew(workspace, to, await reply.blob());
  const draft = drafts.get().get(draftKey(workspace, from));
  // A draft of another version still has to be compared with this one.
  if (draft) setDraft(draftKey(workspace, to), { ...draft, etag: draft.etag === before ? tag : draft.etag });
  await client.workspaces.removeFile(workspace, from);
  setDraft(draftKey(workspace, from), undefined);
}

interface PathFormProps {
  readonly title: string;
  readonly initial: string;
  readonly action: string;
  readonly run: (path: string) => Promise<void>;
  readonly onDone: (path: string) => void;
  readonly onClose: () => void;
}

/** Asks for the path of a file, and shows errors at the field. */
function PathForm({ title, initial, action, run, onDone, onClose }: PathFormProps) {
  const [path, setPath] = useState(initial);
  const work = useMutation({ mutationFn: run, onSuccess: () => onDone(path) });
  const problem = path === initial ? undefined : filePathProblem(path);
  const isThere = work.error instanceof ServiceError && work.error.status === 412;
  const field = isThere
    ? 'a file of this name exists'
    : work.error instanceof ServiceError
      ? work.error.errors.find((one) => one.field === 'path')?.message
      : undefined;
  return (
    <Question
      title={title}
      yes={action}
      isForm
      isBusy={work.isPending}
      isDisabled={path === initial || problem !== undefined}
      error={field === undefined ? work.error : null}
      onClose={onClose}
      onYes={() => {
        if (path !== initial && problem === undefined) work.mutate(path);
      }}
    >
      <TextInput
        label="Path"
        description="In the workspace; missing directories are created"
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        value={path}
        onChange={(event) => {
          work.reset();
          setPath(event.currentTarget.value);
        }}
        error={field ?? problem}
      />
    </Question>
  );
}

interface DialogProps {
  readonly workspace: string;
  readonly path: string;
  readonly onDone: (path: string) => void;
  readonly onClose: () => void;
}

/** `path` is the beginning of the path: a directory with a slash, or empty. */
export function NewFile({ workspace, path, ...on }: DialogProps) {
  return (
    <PathForm
      {...on}
      title="New file"
      initial={path}
      action="Create"
      run={async (wanted) => {
        await writeNew(workspace, wanted, new Blob([]));
        await refreshFiles(workspace);
      }}
    />
  );
}

export function RenameFile({ workspace, path, ...on }: DialogProps) {
  return (
    <PathForm
      {...on}
      title={`Rename ${path}`}
      initial={path}
      action="Rename"
      run={async (wanted) => {
        await rename(workspace, path, wanted);
        await refreshFiles(workspace);
      }}
    />
  );
}

/** Removes a file, or a directory with its content. */
export function RemoveFile({
  workspace,
  path,
  inside,
  onDone,
  onClose,
}: DialogProps & {
  /** The content of the directory, deepest first. */
  readonly inside: readonly string[];
}) {
  const remove = useMutation({
    mutationFn: async () => {
      for (const one of [...inside, path]) await client.workspaces.removeFile(workspace, one);
    },
    onSuccess: () => onDone(path),
    onSettled: async () => refreshFiles(workspace),
  });
  return (
    <Question
      title={`Remove ${path}?`}
      yes="Remove"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      focus="no"
      onClose={onClose}
      onYes={() => remove.mutate()}
    >
      <Text size="sm">
        {inside.length === 0
          ? 'This cannot be undone.'
          : `This removes the directory and its content (${inside.length} ${inside.length === 1 ? 'entry' : 'entries'}). It cannot be undone.`}
      </Text>
    </Question>
  );
}
