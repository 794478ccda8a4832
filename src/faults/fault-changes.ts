/** Sets and heals single faults, on record. Its caller has the turn of the lab. */
import { targetKey, targetWords, type Fault } from '../labs/model/fault.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { FaultBook } from './fault-book.ts';
import { effects } from './fault-effects.ts';
import type { FaultEnds } from './fault-ends.ts';
import type { FaultNodes } from './fault-nodes.ts';
import type { FaultRecord, LabOfRecord } from './fault-record.ts';

/** For the event feed. */
export type FaultNews =
  | { readonly change: 'fault-set'; readonly fault: Fault }
  | { readonly change: 'fault-healed'; readonly fault: Fault; readonly why: string };

interface FaultChangesDeps {
  readonly book: FaultBook;
  readonly nodes: FaultNodes;
  readonly tell: (lab: LabOfRecord, news: FaultNews) => void;
  readonly log: Logger;
}

export class FaultChanges {
  readonly #deps: FaultChangesDeps;

  constructor(deps: FaultChangesDeps) {
    this.#deps = deps;
  }

  /** Sets a new fault, and heals those of the same link or node. @throws AppError; then they are as they were. */
  async set(record: FaultRecord, interfaces: FaultEnds['interfaces']): Promise<Fault> {
    const { book, nodes } = this.#deps;
    const all = book.of(record.lab);
    const replaced = all.filter(({ fault }) => targetKey(fault) === targetKey(record.fault));
    const parts = await nodes.read(record, interfaces, all);
    // Not before: the way into a node may take a second.
    const noted = { ...record, parts, fault: { ...record.fault, setAt: new Date().toISOString() } };
    await book.add(noted);
    try {
      await nodes.set(noted);
      const set = await book.replace(noted, { ...noted, state: 'set' });
      for (const one of replaced) await this.heal(one, 'another fault took its place');
      this.#note(set, { change: 'fault-set', fault: set.fault });
      return set.fault;
    } catch (error) {
      await this.#undo(noted, replaced);
      throw error;
    }
  }

  /** Never rejects: if it fails, the record stays, and healing is repeated. */
  async #undo({ lab, fault }: FaultRecord, replaced: readonly FaultRecord[]): Promise<void> {
    const { book, nodes, log } = this.#deps;
    try {
      for (const one of book.of(lab)) if (one.fault === fault) await this.heal(one, 'it could not be set');
      for (const one of replaced) if (book.has(one)) await nodes.set(one);
    } catch (error) {
      const about = { instance: lab.id, fault: targetWords(fault), cause: messageOf(error) };
      log.warn('a fault that could not be set is not healed yet', about);
    }
  }

  /** @throws AppError for a fault that stays, on record and to be healed again. */
  async heal(record: FaultRecord, why: string): Promise<void> {
    const { book, nodes, log } = this.#deps;
    // A disk that is full does not keep a lab broken.
    const healing = await book.replace(record, { ...record, state: 'healing' }).catch(() => record);
    const { lab, fault } = healing;
    const others = book.of(lab).filter((one) => one !== healing);
    const said = await nodes.heal(healing, others);
    await book.drop(healing);
    for (const words of said)
      log.warn('a fault was healed, but not all came back', { instance: lab.id, cause: words });
    if (record.state !== 'setting') this.#note(healing, { change: 'fault-healed', fault, why });
  }

  /** The lab is gone, and with it all that was broken. */
  async forget(record: FaultRecord): Promise<void> {
    await this.#deps.book.drop(record);
    if (record.state !== 'setting')
      this.#note(record, { change: 'fault-healed', fault: record.fault, why: 'the lab was stopped' });
  }

  /**
   * Sets faults again whose nodes may have been made or configured anew: their interfaces are up then. Those that cannot be set
   * again are healed.
   * @returns their errors.
   */
  async renew(records: readonly FaultRecord[]): Promise<readonly unknown[]> {
    const { book, nodes } = this.#deps;
    const lasting = records.filter(
      ({ state, fault }) => state === 'set' && effects[fault.kind].isOnce !== true,
    );
    // All are read before the first is set: two of them may hold the same interface.
    const reads = await Promise.allSettled(lasting.map(async (record) => nodes.readAgain(record)));
    const failures: unknown[] = [];
    for (const [index, record] of lasting.entries()) {
      const read = reads[index];
      try {
        if (read?.status !== 'fulfilled') throw read?.reason;
        await nodes.set(await book.replace(record, { ...record, parts: [...read.value] }));
      } catch (error) {
        failures.push(error);
        const [now] = book.of(record.lab).filter(({ fault }) => fault === record.fault);
        const why = `it could not be set again: ${messageOf(error)}`;
        // If that fails, too, it is repeated.
        if (now) await this.heal(now, why).catch(() => undefined);
      }
    }
    return failures;
  }

  /** Gives a fault another end, and makes sure that it is set. @throws AppError; then it is healed. */
  async extend(record: FaultRecord, { fault, endsAtMs, job }: FaultRecord): Promise<Fault> {
    const { user, expiresAt } = fault;
    const changed = { ...record, endsAtMs, job, fault: { ...record.fault, user, expiresAt } };
    const extended = await this.#deps.book.replace(record, changed);
    this.#note(extended, { change: 'fault-set', fault: extended.fault });
    const failures = await this.renew([extended]);
    if (failures.length > 0) throw failures[0];
    return extended.fault;
  }

  #note({ lab, fault }: FaultRecord, news: FaultNews): void {
    const { kind, user, expiresAt } = fault;
    const about = { instance: lab.id, fault: targetWords(fault), kind, user, expiresAt };
    const words = { 'fault-set': 'a fault was set', 'fault-healed': 'a fault was healed' } as const;
    this.#deps.log.info(words[news.change], 'why' in news ? { ...about, why: news.why } : about);
    this.#deps.tell(lab, news);
  }
}
