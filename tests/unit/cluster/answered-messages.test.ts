import { expect, test } from '@jest/globals';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AnsweredMessages } from '../../../src/cluster/answered-messages.ts';
import { deferred } from '../../../src/lib/async/deferred.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { emptyPlace, temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

type Outcome = Awaited<ReturnType<AnsweredMessages['once']>>;

const problem = { code: 'conflict', message: 'no', errors: [], extra: {}, retryAfterSeconds: null };
const refused: Outcome = { kind: 'refused', problem };
const accepted: Outcome = {
  kind: 'accepted',
  job: { id: 'job-1-abcdef', action: 'up' },
  isReplayed: false,
};
const never = (): Outcome => {
  throw new Error('it is done once more');
};

async function opened(directory: string): Promise<AnsweredMessages> {
  const answered = new AnsweredMessages(directory, new MemoryLogger());
  await answered.load();
  return answered;
}

test('an answer is kept over a restart: a refusal whole, of a job its id', async () => {
  const { directory } = emptyPlace(root);
  const first = await opened(directory);
  expect(await first.once('a', () => refused)).toEqual(refused);
  expect(await first.once('b', () => accepted)).toEqual(accepted);
  for (const answered of [first, await opened(directory)]) {
    expect(await answered.once('a', never)).toEqual(refused);
    expect(await answered.once('b', never)).toEqual({ ...accepted, job: { id: 'job-1-abcdef' } });
  }
});

test('a message that comes again while it is carried out has the same answer', async () => {
  const answered = await opened(emptyPlace(root).directory);
  const outcome = deferred<Outcome>();
  const [first, second] = [answered.once('a', async () => outcome.promise), answered.once('a', never)];
  outcome.resolve(refused);
  expect(await Promise.all([first, second])).toEqual([refused, refused]);
});

test('a line that a crash cut off costs no other line', async () => {
  const { directory } = emptyPlace(root);
  await (await opened(directory)).once('a', () => refused);
  appendFileSync(path.join(directory, 'cluster-messages.jsonl'), '\n{"nonce":"b","outc');
  const second = await opened(directory);
  await second.once('c', () => accepted);
  const third = await opened(directory);
  expect(await third.once('a', never)).toEqual(refused);
  expect(await third.once('b', () => accepted)).toEqual(accepted);
  expect(await third.once('c', never)).toMatchObject({ kind: 'accepted' });
});

test('many answers at once are all on disk, each in a line of its own', async () => {
  const { directory } = emptyPlace(root);
  const answered = await opened(directory);
  const nonces = Array.from({ length: 100 }, (_, at) => `n${at}`);
  await Promise.all(nonces.map(async (nonce) => answered.once(nonce, () => refused)));
  const again = await opened(directory);
  for (const nonce of nonces) expect(await again.once(nonce, never)).toEqual(refused);
});

test('a file that is none of ours is reported and replaced, and a disk that refuses holds no answer up', async () => {
  const { directory } = emptyPlace(root);
  const file = path.join(directory, 'cluster-messages.jsonl');
  writeFileSync(file, 'something else');
  const log = new MemoryLogger();
  const answered = new AnsweredMessages(directory, log);
  await answered.load();
  expect(log.errors()[0]).toContain('are lost');
  await answered.once('a', () => refused);
  expect(readFileSync(file, 'utf8')).toContain('"nonce":"a"');
  const nowhere = await opened(path.join(directory, 'missing'));
  expect(await nowhere.once('a', () => refused)).toEqual(refused);
  expect(await nowhere.once('a', never)).toEqual(refused);
});
