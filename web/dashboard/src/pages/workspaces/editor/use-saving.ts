/** The edited text and its way to the service: drafts, saving, and conflicts with other users. */
import { useMutation } from '@tanstack/react-query';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { fetchAgain, queryClient } from '../../../api/query-client.ts';
import { client } from '../../../api/service.ts';
import { useStore } from '../../../api/store.ts';
import { refreshFiles, writeNew } from '../queries.ts';
import { draftKey, drafts, setDraft } from './drafts.ts';
import { fileKey, type OpenedFile } from './file-query.ts';

export type SavedText = Extract<OpenedFile, { kind: 'text' }>;

interface Edited {
  readonly workspace: string;
  readonly path: string;
  /** The latest known version of the service; undefined when the file was removed. */
  readonly saved: SavedText | undefined;
}

interface Wanted {
  readonly text: string;
  readonly etag: string | undefined;
}

export function useSaving({ workspace, path, saved }: Edited) {
  const key = draftKey(workspace, path);
  const draft = useStore(drafts).get(key);
  const note = (text: string): void => {
    const etag = drafts.get().get(key)?.etag ?? saved?.etag ?? '';
    setDraft(key, text === saved?.text ? undefined : { text, etag });
  };
  /** `etag` is that of the version that may be overwritten. Without `given`, it is the draft as it is then. */
  const work = useMutation({
    // One request after the other: each makes the draft one of a new version.
    scope: { id: `save ${key}` },
    mutationFn: async (given: Wanted | undefined) => {
      const wanted: Wanted | undefined = given ?? drafts.get().get(key);
      if (wanted === undefined) return;
      const { text, etag } = wanted;
      const content = new Blob([text]);
      if (etag === undefined) return writeNew(workspace, path, content);
      const next = await client.workspaces.writeFile(workspace, path, content, { ifMatch: etag });
      await queryClient.cancelQueries({ queryKey: fileKey(workspace, path) });
      const written: OpenedFile = { kind: 'text', text, etag: next ?? '' };
      queryClient.setQueryData(fileKey(workspace, path), written);
      // Text that was typed during the request is a draft of the new version.
      const typed = drafts.get().get(key);
      setDraft(
        key,
        typed === undefined || typed.text === text ? undefined : { text: typed.text, etag: written.etag },
      );
    },
    onSuccess: async (_, given) => {
      await refreshFiles(workspace);
      const isNew = given !== undefined && given.etag === undefined;
      if (isNew && drafts.get().get(key)?.text === given.text) setDraft(key, undefined);
    },
    onError: async (error) => {
      if (error instanceof ServiceError && (error.status === 412 || error.status === 404))
        await fetchAgain(fileKey(workspace, path));
    },
  });
  const isConflict = draft !== undefined && draft.etag !== saved?.etag;
  const isRefused = work.error instanceof ServiceError && work.error.status === 412;
  return {
    draft,
    note,
    /** Whether another user has changed or removed the file since the draft was begun. */
    isConflict,
    isSaving: work.isPending,
    // The conflict message covers this error. Without a conflict, the error is shown: a proxy may change ETags, for example.
    error: isRefused && isConflict ? null : work.error,
    save: () => {
      // The draft may have changed since the page was drawn.
      if (drafts.get().has(key) && !work.isPending) work.mutate(undefined);
    },
    /** Rejects when the text was not saved. */
    saveNow: async (): Promise<void> => {
      if (isConflict) throw new Error('Another user has changed the file: choose a version first.');
      if (draft !== undefined) await work.mutateAsync(undefined);
    },
    keepMine: () => {
      if (draft !== undefined) work.mutate({ text: draft.text, etag: saved?.etag });
    },
    discard: () => {
      work.reset();
      setDraft(key, undefined);
    },
  };
}
