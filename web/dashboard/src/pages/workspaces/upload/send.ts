/** One upload, with how far it is: fetch does not tell that while it sends, XMLHttpRequest does. */
import type { Problem } from '../../../../../../src/client/api-types.ts';
import { ConnectionError, ServiceError } from '../../../../../../src/client/service-error.ts';
import { addressOf } from '../../../api/service.ts';

export interface Sending {
  readonly path: string;
  readonly body: Blob;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

function problemOf(request: XMLHttpRequest): Partial<Problem> {
  try {
    return (JSON.parse(request.responseText) as Partial<Problem> | null) ?? {};
  } catch {
    return {};
  }
}

/** @throws ServiceError when the service refuses it, ConnectionError when it is lost, and what `signal` was aborted with. */
export async function send({ path, body, headers, signal, onProgress }: Sending): Promise<void> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const stop = (): void => request.abort();
  try {
    await new Promise<void>((resolve, reject) => {
      request.open('PUT', addressOf(path));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
      request.addEventListener('load', () =>
        request.status < 400
          ? resolve()
          : reject(new ServiceError(request.status, headersOf(request), problemOf(request))),
      );
      request.addEventListener('error', () =>
        reject(new ConnectionError('the connection was lost before the service had answered')),
      );
      request.addEventListener('abort', () => reject(new ConnectionError('the upload was ended')));
      signal.addEventListener('abort', stop);
      request.send(body);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
