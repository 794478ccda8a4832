import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { JsonFile } from '../../lib/files/json-file.ts';
import type { Logger } from '../../lib/logger.ts';
import { sha256Of } from '../../lib/text/sha256.ts';
import { isSameText } from '../../lib/text/same-text.ts';
import type { Browser } from '../model/accounts.ts';
import type { Token, User } from '../model/user.ts';

/** Sessions of one user. A script that logs in each minute ends its own oldest sessions, and fills no disk. */
const maxPerUser = 32;
const maxSessions = 4_096;

/** One login of a browser. */
const sessionSchema = z.object({
  /** The first part of the secret. The service finds the session by it. */
  id: z.string(),
  /** The SHA-256 of the whole secret, in hexadecimal. */
  sha256: z.string(),
  /** The user's name. */
  user: z.string(),
  /** The token that began the session; null for a password, and for the identity provider. */
  tokenId: z.string().nullable(),
  /** It began at the identity provider. */
  isFromProvider: z.boolean().default(false),
  /**
   * A hash of the user at the login (role, directories, password or token), keyed with the secret. It shows a change that was made
   * while the service was down, and a reader of the file can try no passwords on it.
   */
  mark: z.string(),
  startedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Null in sessions of earlier versions. */
  address: z.string().nullable().default(null),
  agent: z.string().nullable().default(null),
});
type Session = Readonly<z.infer<typeof sessionSchema>>;

const contentSchema = z.object({ sessions: z.array(sessionSchema) });

/** The user and the token that begin a session. */
interface Credential {
  readonly user: User;
  /** Undefined for a password. */
  readonly token: Token | undefined;
}

export interface Login extends Credential {
  readonly browser: Browser;
  /** Of a login at the identity provider: when the session ends at the latest, in ms since 1970. */
  readonly atProvider?: { readonly endMs: number };
}

interface SessionOptions {
  readonly file: string;
  readonly ttlMs: number;
  readonly log: Logger;
}

function markOf(secret: string, { user, token }: Credential): string {
  const { name, role, workdirs, password } = user;
  const what = JSON.stringify([name, role, workdirs, token ? [token.sha256, token.expiresAtMs] : password]);
  return createHmac('sha256', secret).update(what).digest('hex');
}

/**
 * Sessions, in memory and in a file of the data directory, so that they survive a restart. Sessions of the identity provider are
 * in memory alone, because the next run of the service could not ask the provider whether they still hold. A session lasts for a
 * fixed time from its login: a time that each request prolongs would cost a write to the disk for each request.
 */
export class Sessions {
  readonly #file: JsonFile<z.infer<typeof contentSchema>>;
  readonly #ttlMs: number;
  readonly #log: Logger;
  /** By id, oldest first. */
  readonly #sessions = new Map<string, Session>();
  /** Sessions whose secret was not sent yet: dozens of logins at once must not end each other. */
  readonly #beginning = new Set<string>();
  readonly #onEnd: ((id: string) => void)[] = [];

  constructor({ file, ttlMs, log }: SessionOptions) {
    this.#ttlMs = ttlMs;
    this.#log = log;
    this.#file = new JsonFile({
      file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        log.error(
          'the sessions cannot be understood and were set aside: their users have to log in again',
          details,
        ),
    });
  }

  /** Calls `listener` after the end of each session. */
  onEnd(listener: (id: string) => void): void {
    this.#onEnd.push(listener);
  }

  /** Reads the sessions of an earlier run. @throws Error if the disk refuses. */
  async open(): Promise<void> {
    const content = await this.#file.load();
    for (const session of content?.sessions ?? []) this.#sessions.set(session.id, session);
    this.#dropExpired();
  }

  /** Begins a session, and returns its secret when it is on disk. @throws AppError `storage-fault`. */
  async begin(login: Login): Promise<{ readonly secret: string; readonly session: Session }> {
    const id = `ses_${randomBytes(8).toString('hex')}`;
    const secret = `${id}_${randomBytes(32).toString('base64url')}`;
    const { user, token, browser, atProvider } = login;
    const now = Date.now();
    const endMs = Math.min(now + this.#ttlMs, token?.expiresAtMs ?? atProvider?.endMs ?? Infinity);
    const session: Session = {
      id,
      sha256: sha256Of(secret),
      user: user.name,
      tokenId: token?.id ?? null,
      isFromProvider: atProvider !== undefined,
      mark: markOf(secret, login),
      startedAt: new Date(now).toISOString(),
      expiresAt: new Date(endMs).toISOString(),
      ...browser,
    };
    this.#makeRoom(user.name);
    this.#sessions.set(id, session);
    this.#beginning.add(id);
    try {
      await this.#save();
    } catch (error) {
      this.#forget(id);
      throw error;
    } finally {
      this.#beginning.delete(id);
    }
    return { secret, session };
  }

  /** Returns the session with this secret, unless it has ended. */
  find(secret: string): Session | undefined {
    const session = this.#sessions.get(/^ses_[0-9a-f]{16}/.exec(secret)?.[0] ?? '');
    if (session === undefined || !isSameText(session.sha256, sha256Of(secret))) return undefined;
    return Date.parse(session.expiresAt) > Date.now() ? session : undefined;
  }

  /** Whether the user is unchanged since the session began. One of the identity provider is dropped when the user changes. */
  isUnchanged({ mark, isFromProvider }: Session, secret: string, login: Credential): boolean {
    return isFromProvider || isSameText(mark, markOf(secret, login));
  }

  /** Ends a session at once. @throws AppError `storage-fault` if the session would come back after a restart. */
  async end(id: string): Promise<void> {
    if (this.#forget(id)) await this.#save();
  }

  /** Returns the sessions that have not ended, oldest first. */
  all(): readonly Session[] {
    this.#dropExpired();
    return [...this.#sessions.values()];
  }

  /** Ends sessions that are no longer valid. If the disk refuses, the next run ends them again. */
  drop(ids: readonly string[]): void {
    const dropped = ids.filter((id) => this.#forget(id));
    if (dropped.length === 0) return;
    this.#save().catch((error: unknown) =>
      this.#log.warn('the sessions cannot be written', { cause: messageOf(error) }),
    );
  }

  #makeRoom(user: string): void {
    this.#dropExpired();
    const ids = (sessions: readonly Session[], limit: number): readonly string[] =>
      sessions.slice(0, Math.max(0, sessions.length - limit + 1)).map(({ id }) => id);
    const all = [...this.#sessions.values()].filter(({ id }) => !this.#beginning.has(id));
    const own = all.filter((session) => session.user === user);
    for (const id of [...ids(own, maxPerUser), ...ids(all, maxSessions)]) this.#forget(id);
  }

  #forget(id: string): boolean {
    const wasThere = this.#sessions.delete(id);
    if (wasThere) for (const listener of this.#onEnd) listener(id);
    return wasThere;
  }

  #dropExpired(): void {
    for (const { id, expiresAt } of this.#sessions.values())
      if (Date.parse(expiresAt) <= Date.now()) this.#forget(id);
  }

  async #save(): Promise<void> {
    try {
      await this.#file.save(() => ({
        sessions: [...this.#sessions.values()].filter(({ isFromProvider }) => !isFromProvider),
      }));
    } catch (error) {
      throw new AppError('storage-fault', 'the session cannot be kept: the disk refuses', { cause: error });
    }
  }
}
