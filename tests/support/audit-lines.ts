/** The lines of the audit in the log of a service. */
import { eventually } from './eventually.ts';
import type { RequestOptions } from './http-client.ts';
import type { MemoryLogger } from './memory-logger.ts';
import type { RunningService } from './service.ts';

export type Line = Readonly<Record<string, unknown>>;

export const linesIn = (log: MemoryLogger): Line[] =>
  log.entries.filter(({ message }) => message === 'audit').map(({ fields }) => fields);

let count = 0;

/** Sends a request, and gives the lines about it. That there are none is known once a later request has its own. */
export async function linesAbout(
  service: RunningService,
  log: MemoryLogger,
  target: string,
  { method = 'GET', headers, body }: RequestOptions = {},
): Promise<Line[]> {
  count += 1;
  const [id, marker] = [`request-${count}`, `marker-${count}`];
  await service.request(target, { method, body, headers: { ...headers, 'X-Request-Id': id } });
  await service.request('/jobs/none', {
    method: 'DELETE',
    headers: { ...headers, 'X-Request-Id': marker },
  });
  await eventually('the line of the marker', () =>
    linesIn(log).some(({ requestId }) => requestId === marker),
  );
  return linesIn(log).filter(({ requestId }) => requestId === id);
}
