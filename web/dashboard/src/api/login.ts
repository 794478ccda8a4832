/** Logging in and out, in all pages of this browser: they share one session. */
import type { ProviderLogout, Session } from '../../../../src/client/api-types.ts';
import { fetchAgain, needsLogin, queryClient } from './query-client.ts';
import { basePath, getFrom, remove, sendTo } from './service.ts';
import { Store } from './store.ts';

type LoginWords = { readonly user: string; readonly password: string } | { readonly token: string };
type Told = 'logged-in' | 'logged-out';

/** Whether the user logged out in another page of this browser. */
export const loggedOutElsewhere = new Store(false);

/** Several services may share an origin, each with its own session. */
const others = new BroadcastChannel(`lab-api${basePath}`);

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel belongs to one origin
const tellOthers = (what: Told): void => others.postMessage(what);

/** Continues as that user. Reloads the page for another user, because its data belongs to the previous one. */
function goOnAs(session: Session): void {
  const known = queryClient.getQueryData<Session>(['session']);
  if (known && (known.user !== session.user || known.role !== session.role)) return location.reload();
  queryClient.setQueryData(['session'], session);
  loggedOutElsewhere.set(false);
  needsLogin.set(false);
  void fetchAgain([]);
}

/** @throws ServiceError with status 401 for wrong credentials, 429 after too many of them. */
export async function logIn(words: LoginWords): Promise<void> {
  const session = await sendTo<Session>('POST', '/session', { body: words });
  tellOthers('logged-in');
  goOnAs(session);
}

/** Changes the user's own password. The session of this browser is a new one then; all others end. @throws ServiceError */
export async function changeOwnPassword(currentPassword: string, newPassword: string): Promise<void> {
  const session = await sendTo<Session>('PUT', '/session/password', {
    body: { currentPassword, newPassword },
  });
  tellOthers('logged-in');
  goOnAs(session);
}

/** Whether the user has logged in with this page, and can log out here. */
export const isOfBrowser = (way: Session['loggedInBy'] | undefined): boolean =>
  way === 'session' || way === 'provider';

/** Ends the session, and clears all data of the page. @throws the errors of requests when the session was not ended. */
export async function logOut(): Promise<void> {
  const isAtProvider = queryClient.getQueryData<Session>(['session'])?.loggedInBy === 'provider';
  // The identity provider has a session, too: it would log the next user of this browser in as this one.
  const next = isAtProvider ? (await sendTo<ProviderLogout>('POST', '/session/oidc/logout')).url : null;
  if (!isAtProvider) await remove('/session');
  tellOthers('logged-out');
  location.assign(next ?? `${basePath}/ui/`);
}

/** The parameters with which a login at the identity provider failed. */
export interface FailedSignOn {
  readonly code: string;
  /** Names the login in the log of the service. */
  readonly request: string | null;
}

/** Takes the news of a login at the identity provider out of the address. */
function takeFailedSignOn(): FailedSignOn | undefined {
  const query = new URLSearchParams(location.search);
  const code = query.get('login');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return { code, request: query.get('request') };
}

/** Undefined unless the page was opened by a login that failed. */
export const failedSignOn = takeFailedSignOn();

/** Between two looks whether a refusal was right, in ms. */
const restMs = 10_000;

/** Follows logins and logouts in other pages. Returns a function that stops it. */
export function followOtherPages(): () => void {
  const hear = ({ data }: MessageEvent<Told>): void => {
    if (data === 'logged-out' && queryClient.getQueryData(['session']) !== undefined) {
      loggedOutElsewhere.set(true);
      needsLogin.set(true);
    } else if (data === 'logged-in') goOnIfLoggedIn();
  };
  const goOnIfLoggedIn = (): void => {
    // If this fails, the page still asks for a login.
    if (needsLogin.get()) void getFrom<Session>('/session').then(goOnAs, () => undefined);
  };
  let checkAgainMs = 0;
  // A request that was sent before the session was replaced may be refused after it, also by a new password.
  const check = (): void => {
    const isKnown = queryClient.getQueryData(['session']) !== undefined && !loggedOutElsewhere.get();
    if (!needsLogin.get() || !isKnown || performance.now() < checkAgainMs) return;
    checkAgainMs = performance.now() + restMs;
    goOnIfLoggedIn();
  };
  // A browser may restore this page from its history after the user has logged out.
  const reappear = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) location.reload();
  };
  others.addEventListener('message', hear);
  window.addEventListener('pageshow', reappear);
  // The user may come back from a window with the identity provider.
  window.addEventListener('focus', goOnIfLoggedIn);
  const stopChecks = needsLogin.subscribe(check);
  return () => {
    stopChecks();
    others.removeEventListener('message', hear);
    window.removeEventListener('pageshow', reappear);
    window.removeEventListener('focus', goOnIfLoggedIn);
  };
}
