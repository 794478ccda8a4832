/** The log of a job on the service: a range of it, its size, and its new output. */
import { needsLogin } from '../../../api/query-client.ts';
import { connection } from '../../../api/service.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import type { LogSource } from './log-reader.ts';

async function sent(method: 'GET' | 'HEAD', id: string, options: Parameters<typeof connection.send>[2] = {}) {
  try {
    const query = { output: 'text', ...options.query };
    return await connection.send(method, `/jobs/${encodeURIComponent(id)}/log`, { ...options, query });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) needsLogin.set(true);
    throw error;
  }
}

export function logSource(id: string): LogSource {
  return {
    extent: async (signal) => {
      const { headers } = await sent('HEAD', id, { signal });
      const size = Number(headers.get('X-Log-Next-Offset') ?? 0);
      return { size, isComplete: headers.get('X-More-Data') === 'false' };
    },
    read: async (start, end, signal) => {
      const headers = { Range: `bytes=${start}-${end - 1}` };
      const reply = await sent('GET', id, { headers, signal });
      const bytes = await connection.lossNamed(async () => new Uint8Array(await reply.arrayBuffer()), {
        signal,
      });
      // A proxy without support for ranges sends the whole log.
      return reply.status === 206 ? bytes : bytes.subarray(start, end);
    },
    follow: async function* (offset, signal) {
      const reply = await sent('GET', id, { query: { follow: true, offset }, signal });
      const reader = reply.body?.getReader();
      if (!reader) return;
      try {
        for (;;) {
          const piece = await connection.lossNamed(async () => reader.read(), { signal });
          if (piece.done) return;
          yield piece.value;
        }
      } finally {
        // Closes the connection, whatever the reason.
        await reader.cancel().catch(() => undefined);
      }
    },
  };
}
