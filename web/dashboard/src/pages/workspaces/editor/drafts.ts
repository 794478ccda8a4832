/** Drafts: unsaved text, kept while the window is open, also after a reload or a visit to another page. */
import type { Session } from '../../../../../../src/client/api-types.ts';
import { queryClient } from '../../../api/query-client.ts';
import { basePath } from '../../../api/service.ts';
import { Store } from '../../../api/store.ts';

export interface Draft {
  readonly text: string;
  /** The ETag of the file version that the draft is based on. */
  readonly etag: string;
}

/** The page is reloaded for another user, and this file is loaded only after the login. */
const user = queryClient.getQueryData<Session>(['session'])?.user ?? '';
/** The same window may show another service of this host, or another user may log in: each has their own drafts. */
const prefix = `lab-api draft ${basePath}/ ${encodeURIComponent(user)} `;

/** The key of a draft: workspace names contain no slash. */
export const draftKey = (workspace: string, path: string): string => `${workspace}/${path}`;

function asDraft(text: string | null): Draft | undefined {
  try {
    const { text: content, etag } = JSON.parse(text ?? '') as Partial<Draft>;
    return typeof content === 'string' && typeof etag === 'string' ? { text: content, etag } : undefined;
  } catch {
    return undefined;
  }
}

function kept(): Map<string, Draft> {
  const found = new Map<string, Draft>();
  try {
    for (const key of Object.keys(sessionStorage).filter((one) => one.startsWith(prefix))) {
      const draft = asDraft(sessionStorage.getItem(key));
      if (draft) found.set(key.slice(prefix.length), draft);
    }
  } catch {
    // The browser has no storage.
  }
  return found;
}

/** By `draftKey`. */
export const drafts = new Store<ReadonlyMap<string, Draft>>(kept());

/** Sets or removes a draft. */
export function setDraft(key: string, draft: Draft | undefined): void {
  const next = new Map(drafts.get());
  if (draft === undefined) next.delete(key);
  else next.set(key, draft);
  if (draft !== undefined || drafts.get().has(key)) drafts.set(next);
  try {
    sessionStorage.removeItem(prefix + key);
    if (draft !== undefined) sessionStorage.setItem(prefix + key, JSON.stringify(draft));
  } catch {
    // The storage is full or forbidden: the draft stays in memory, and the browser asks before the window is closed.
  }
}

/** The files of a workspace with unsaved changes. */
export function draftsIn(all: ReadonlyMap<string, Draft>, workspace: string): string[] {
  return [...all.keys()]
    .filter((key) => key.startsWith(`${workspace}/`))
    .map((key) => key.slice(workspace.length + 1));
}
