import { setTimeout as delay } from 'node:timers/promises';
import { startProgram, wayFailure, type NodeSession } from './node-session.ts';

/** Errors that `docker logs` prints instead of a log. A node may print the same words, but then its log continues, or `docker logs` succeeds. */
const complaint = /^(Error response from daemon|Error: |permission denied|Cannot connect to)/;

/** Whether there is nothing to show is known by then. */
const beginMs = 500;

type Piece = IteratorResult<Buffer, void>;

async function* piecesFrom(
  next: Promise<Piece>,
  rest: AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<Buffer, void, void> {
  const first = await next;
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** The log of a node, as `program` (of this machine) prints it. @throws AppError when there is none. */
export async function startLog(
  session: NodeSession,
  program: readonly string[],
): Promise<AsyncIterable<Buffer>> {
  const running = startProgram(session, program, true);
  const pieces = running.output();
  const first = pieces.next();
  const early = await Promise.race([first, delay(beginMs)]);
  const words = early?.value?.toString('utf8') ?? '';
  if (complaint.test(words)) {
    const end = await Promise.race([running.ended, delay(beginMs)]);
    if (end && end.exitCode !== 0) throw wayFailure(session.node, { words });
  }
  return piecesFrom(first, pieces);
}
