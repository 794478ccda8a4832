/** What was typed and not saved: kept while the window is open, so that a reload, or a look at another page, loses nothing. */
import type { Session } from '../../../../../../src/client/api-types.ts';
import { queryClient } from '../../../api/query-client.ts';
import { basePath } from '../../../api/service.ts';
import { Store } from '../../../api/store.ts';

export interface Draft {
  readonly text: string;
  /** Of the file that it was made from. */
  readonly etag: string;
}

/** This page is loaded anew for another user, and only once it is known who that is. */
const user = queryClient.getQueryData<Session>(['session'])?.user ?? '';
/** The same window may show another service of this host, or somebody else may log in: each has drafts of their own. */
const prefix = `lab-api draft ${basePath}/ ${encodeURIComponent(user)} `;

/** How a draft is called: a workspace has no slash in its name. */
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
    // A browser that keeps nothing.
  }
  return found;
}

/** By `draftKey`. */
export const drafts = new Store<ReadonlyMap<string, Draft>>(kept());

/** Notes a draft, or that there is none any more. */
export function setDraft(key: string, draft: Draft | undefined): void {
  const next = new Map(drafts.get());
  if (draft === undefined) next.delete(key);
  else next.set(key, draft);
  if (draft !== undefined || drafts.get().has(key)) drafts.set(next);
  try {
    sessionStorage.removeItem(prefix + key);
    if (draft !== undefined) sessionStorage.setItem(prefix + key, JSON.stringify(draft));
  } catch {
    // The storage is full, or forbidden: the draft is still here, and the browser asks before the window is closed.
  }
}

/** The files of a workspace that were changed and not saved. */
export function draftsIn(all: ReadonlyMap<string, Draft>, workspace: string): string[] {
  return [...all.keys()]
    .filter((key) => key.startsWith(`${workspace}/`))
    .map((key) => key.slice(workspace.length + 1));
}
