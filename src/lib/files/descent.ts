import type { OpenDirectory } from './open-directory.ts';

/** A tree may have any number of levels, and a process has few descriptors: so many levels stay open, the lowest ones. */
const levelsOpen = 32;

interface Level {
  readonly name: string;
  /** Undefined while it is closed. */
  directory: OpenDirectory | undefined;
  /** Of a closed one: which directory it was. */
  identity: string;
  /** Read when the first one is asked for; the last one comes first. */
  names: string[] | undefined;
}

/** Where a walk through a tree is: the directory that it is in, and those above. Holds few directories open at any depth. */
export class Descent {
  readonly #top: OpenDirectory;
  #topNames: string[] | undefined;
  readonly #levels: Level[] = [];

  /** The caller closes `top`, after this. */
  constructor(top: OpenDirectory) {
    this.#top = top;
  }

  /** How many levels it is below the top. */
  get depth(): number {
    return this.#levels.length;
  }

  /** The directory where it is; open until it is left. */
  get here(): OpenDirectory {
    return this.#levels.at(-1)?.directory ?? this.#top;
  }

  /** The next name here, sorted; undefined after the last one. */
  async next(): Promise<string | undefined> {
    const level = this.#levels.at(-1);
    const names = (level ? level.names : this.#topNames) ?? (await this.#read());
    if (level) level.names = names;
    else this.#topNames = names;
    return names.pop();
  }

  /** Goes into a directory that is here; the one above stays open for now. @throws as `OpenDirectory.directory`. */
  async enter(name: string): Promise<void> {
    const directory = await this.here.directory(name);
    this.#levels.push({ name, directory, identity: '', names: undefined });
    const far = this.#levels.at(-1 - levelsOpen);
    if (far?.directory === undefined) return;
    const closing = far.directory;
    far.identity = await closing.identity();
    far.directory = undefined;
    await closing.close();
  }

  /**
   * Goes back to the directory above; gives the name, there, of the one that was left. When another program has moved a directory
   * on the way, the directory above is the lowest one that is still in its place.
   */
  async leave(): Promise<string> {
    const left = this.#levels.pop();
    if (left?.directory === undefined) throw new Error('the top of a tree has nothing above it');
    try {
      const above = this.#levels.at(-1);
      const isClosed = above !== undefined && above.directory === undefined;
      return isClosed ? await this.#reopen(above, left.directory, left.name) : left.name;
    } finally {
      await left.directory.close();
    }
  }

  /** Closes all but the top. */
  async close(): Promise<void> {
    for (const { directory } of this.#levels.splice(0)) await directory?.close();
  }

  async #read(): Promise<string[]> {
    const entries = await this.here.entries();
    return entries.map(({ name }) => name).toReversed();
  }

  /** Not by its path, which may be longer than the system takes. */
  async #reopen(level: Level, below: OpenDirectory, name: string): Promise<string> {
    const found = await below.above().catch(() => undefined);
    if (found && (await found.identity()) === level.identity) {
      level.directory = found;
      return name;
    }
    await found?.close();
    return this.#comeAgain(name);
  }

  /** Comes down from the top again, as far as there are directories of the same names. */
  async #comeAgain(name: string): Promise<string> {
    const names = [...this.#levels.map((level) => level.name), name];
    let [depth, lowest] = [0, this.#top];
    for (const level of this.#levels) {
      const next = await lowest.directory(level.name).catch(() => undefined);
      if (next === undefined) break;
      if (depth > 0) await lowest.close();
      [depth, lowest] = [depth + 1, next];
    }
    this.#levels.length = depth;
    const level = this.#levels.at(-1);
    if (level) level.directory = lowest;
    return names[depth] ?? name;
  }
}
