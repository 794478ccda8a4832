/** Logins at the identity provider, which the server names in the page. */
import { Alert, Button, Divider } from '@mantine/core';
import { IconAlertTriangle, IconExternalLink, IconLogin2 } from '@tabler/icons-react';
import { failedSignOn } from '../../api/login.ts';
import { addressOf, basePath } from '../../api/service.ts';

const { content: name = '', dataset = {} } =
  document.querySelector<HTMLMetaElement>('meta[name="sign-on"]') ?? ({} as Partial<HTMLMetaElement>);

/** Whether there are no passwords and no tokens on this server. */
export const isSignOnAlone = name !== '' && dataset['alone'] === 'true';

/** The present path of the page, to come back to. It begins with one slash, also at `/ui` and `/ui//`. */
export const here = (): string =>
  location.pathname.slice(`${basePath}/ui`.length).replace(/^\/*/, '/') + location.search;

/** By the code of the error. A link may have any text as the code. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['login-expired', 'This login took too long, or was begun in another browser. Try again.'],
  [
    'login-refused',
    'You were not let in. The administrator of this server gives roles to groups of the identity provider.',
  ],
  ['conflict', 'Another user of this server has your name. The administrator can join the two.'],
  ['provider-unavailable', 'The identity provider does not answer. Try again in a moment.'],
]);

export function FailedSignOn() {
  if (failedSignOn === undefined) return null;
  const { code, request } = failedSignOn;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert" title="The login failed">
      {reasons.get(code) ?? 'The server could not begin the session. Try again.'}
      {request !== null &&
        /^[\w.:-]{1,128}$/.test(request) &&
        ` Its log has the details: request ${request}.`}
    </Alert>
  );
}

interface Props {
  /** The path of the page that comes after the login. */
  readonly to: string;
  /** Keeps this window with its state. */
  readonly isInNewWindow?: boolean;
}

/** The way to the identity provider; nothing on a server without one. */
export function SignOn({ to, isInNewWindow = false }: Props) {
  if (name === '') return null;
  const Icon = isInNewWindow ? IconExternalLink : IconLogin2;
  return (
    <>
      <Button
        component="a"
        href={addressOf(`/session/oidc?${new URLSearchParams({ to }).toString()}`)}
        leftSection={<Icon size={18} aria-hidden />}
        h="auto"
        py={8}
        // The name may be a long one.
        styles={{ label: { whiteSpace: 'normal', textAlign: 'center' } }}
        {...(isInNewWindow && { target: '_blank', rel: 'noopener' })}
      >
        Log in with {name}
        {isInNewWindow && ' (new window)'}
      </Button>
      {!isSignOnAlone && <Divider label="or" />}
    </>
  );
}
