/** Why there was no reply, as a person would say it: decided by the codes of Node's and undici's errors, not by their words. */
import type { LossReason } from './service-error.ts';

interface Loss {
  readonly sentence: string;
  /** Undefined when nothing more is known than the sentence. */
  readonly reason?: LossReason;
}

/** The fields that an error of `fetch` may have. It may come from another realm, so `instanceof` does not work. */
interface Fault {
  readonly message?: unknown;
  readonly code?: unknown;
  /** Of a socket that was closed (undici). */
  readonly socket?: { readonly bytesRead?: unknown } | null;
  /** Of a certificate that is for another name (`tls.checkServerIdentity`). */
  readonly host?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown; readonly subject?: { readonly CN?: unknown } };
}

const mostNames = 5;

/** `fetch failed` says nothing; its cause does, and of several addresses the last one's. */
function innermost(error: unknown): Fault {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { cause, errors } = error as { cause?: unknown; errors?: readonly unknown[] };
  const inner = errors?.at(-1) ?? cause;
  return inner === undefined ? error : innermost(inner);
}

/** `DNS:a.example, IP Address:10.0.0.1` as `a.example, 10.0.0.1`; a certificate without such names is for its common name. */
function namesIn({ cert }: Fault): string {
  const { subjectaltname: listed, subject } = cert ?? {};
  if (typeof listed !== 'string') return typeof subject?.CN === 'string' ? subject.CN : 'nobody';
  const names = listed.split(', ').map((name) => name.replace(/^[\w ]+:/, ''));
  return names.length > mostNames ? `${names.slice(0, mostNames).join(', ')}, …` : names.join(', ');
}

/** Why no reply came from `base`, the address of the service. */
export function whyLost(error: unknown, base: string): Loss {
  const fault = innermost(error);
  // OpenSSL's own sentences end their line.
  const sentence = String(fault.message).trim();
  const mayBeTls = {
    sentence: `${sentence}; perhaps its URL begins with https://`,
    reason: 'may-be-tls',
  } as const;
  switch (fault.code) {
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return { sentence: 'it speaks plain HTTP: use http://', reason: 'plain-http' };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return { sentence: `its certificate is not trusted (${sentence})`, reason: 'untrusted' };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        sentence: `its certificate is for ${namesIn(fault)}, not for ${String(fault.host)}`,
        reason: 'other-name',
      };
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return { sentence: `its ${sentence}`, reason: 'out-of-date' };
    case 'ERR_TLS_OTHER_KEY':
      return { sentence: `${sentence} than the one to be trusted`, reason: 'other-key' };
    case 'UND_ERR_SOCKET':
      // Closed without a word: so do servers that wait for TLS. One that dies in the middle of a reply has said something.
      return base.startsWith('http:') && fault.socket?.bytesRead === 0 ? mayBeTls : { sentence };
    case 'HPE_INVALID_CONSTANT':
      // Others answer with an alert of TLS, which is no HTTP.
      return base.startsWith('http:') ? mayBeTls : { sentence };
    default:
      return { sentence };
  }
}
