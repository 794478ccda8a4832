/** Logging in and out, in this page and in the others of this browser: they have one session. */
import type { Session } from '../../../../src/client/api-types.ts';
import { serviceErrorOf } from '../../../../src/client/expected.ts';
import { needsLogin, queryClient } from './query-client.ts';
import { addressOf, basePath, getFrom, sendTo } from './service.ts';
import { Store } from './store.ts';

type LoginWords = { readonly user: string; readonly password: string } | { readonly token: string };
type Told = 'logged-in' | 'logged-out';

/** Whether it was in another page of this browser that somebody logged out. */
export const loggedOutElsewhere = new Store(false);

/** Several services may be at one origin, each with a session of its own. */
const others = new BroadcastChannel(`lab-api${basePath}`);

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin alone
const tellOthers = (what: Told): void => others.postMessage(what);

/** Goes on as that user. What the page knows is for the eyes of the one before: for anybody else it is loaded anew. */
function goOnAs(session: Session): void {
  const known = queryClient.getQueryData<Session>(['session']);
  if (known && (known.user !== session.user || known.role !== session.role)) return location.reload();
  queryClient.setQueryData(['session'], session);
  loggedOutElsewhere.set(false);
  needsLogin.set(false);
  void queryClient.invalidateQueries();
}

/** @throws ServiceError with status 401 for wrong words, 429 when there were too many of them. */
export async function logIn(words: LoginWords): Promise<void> {
  const session = await sendTo<Session>('POST', '/session', { body: words });
  tellOthers('logged-in');
  goOnAs(session);
}

/** Ends the session, and forgets all that the page knows. @throws as requests do, when it has not ended. */
export async function logOut(): Promise<void> {
  const response = await fetch(addressOf('/session'), { method: 'DELETE' });
  if (!response.ok) throw await serviceErrorOf(response);
  tellOthers('logged-out');
  location.assign(`${basePath}/ui/`);
}

/** Notices what happens in other pages; the result ends that. */
export function followOtherPages(): () => void {
  const hear = ({ data }: MessageEvent<Told>): void => {
    if (data === 'logged-out' && queryClient.getQueryData(['session']) !== undefined) {
      loggedOutElsewhere.set(true);
      needsLogin.set(true);
    } else if (data === 'logged-in' && needsLogin.get())
      // Nothing is lost if that does not work: the page still asks for a login.
      void getFrom<Session>('/session').then(goOnAs, () => undefined);
  };
  // A browser that goes back may show a page as it was left, which somebody may have done to log out.
  const reappear = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) location.reload();
  };
  others.addEventListener('message', hear);
  window.addEventListener('pageshow', reappear);
  return () => {
    others.removeEventListener('message', hear);
    window.removeEventListener('pageshow', reappear);
  };
}
