/** When each token was used last. A killed service loses the last minute. */
import * as z from 'zod';
import { messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import { JsonFile } from '../lib/files/json-file.ts';
import type { Logger } from '../lib/logger.ts';
import type { TokenUse } from './model/accounts.ts';
import type { User } from './model/user.ts';

const contentSchema = z.record(z.string(), z.object({ atMs: z.number(), address: z.string().nullable() }));

/** Programs send a token with each request: the disk gets one write for all of a minute. */
const saveAfterMs = 60_000;

interface TokenUsesOptions {
  readonly file: string;
  /** The users whose tokens count, also while they are locked. The uses of other tokens are forgotten. */
  readonly users: { readonly all: readonly User[] };
  readonly log: Logger;
}

export class TokenUses {
  readonly #options: TokenUsesOptions;
  readonly #file: JsonFile<z.infer<typeof contentSchema>>;
  readonly #uses = new Map<string, TokenUse>();
  #cancelSave: (() => void) | undefined;

  constructor(options: TokenUsesOptions) {
    this.#options = options;
    this.#file = new JsonFile({
      file: options.file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        options.log.warn('the uses of tokens cannot be understood and were set aside', details),
    });
  }

  /** Reads the uses of an earlier run. @throws Error if the disk refuses. */
  async open(): Promise<void> {
    for (const [id, use] of Object.entries((await this.#file.load()) ?? {})) this.#uses.set(id, use);
  }

  readonly note = (id: string, address: string): void => {
    this.#uses.set(id, { atMs: Date.now(), address });
    this.#cancelSave ??= after(saveAfterMs, () => void this.#save());
  };

  of(id: string): TokenUse | null {
    return this.#uses.get(id) ?? null;
  }

  /** Writes what is not on disk yet. Never rejects. */
  async close(): Promise<void> {
    if (this.#cancelSave !== undefined) await this.#save();
  }

  async #save(): Promise<void> {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const ids = new Set(this.#options.users.all.flatMap(({ tokens }) => tokens.map(({ id }) => id)));
    for (const id of this.#uses.keys()) if (!ids.has(id)) this.#uses.delete(id);
    try {
      await this.#file.save(() => Object.fromEntries(this.#uses));
    } catch (error) {
      this.#options.log.warn('the uses of tokens cannot be written', { cause: messageOf(error) });
    }
  }
}
