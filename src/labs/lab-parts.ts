/** The parts of several lab CLIs as one: what is about a lab is asked of the lab CLI that has it. */
import { AppError } from '../lib/app-error.ts';
import type { Labs } from './labs.ts';
import type { NodeName } from './nodes/lab-nodes.ts';
import type { KnownLab, SeenLabs } from './status/lab-status.ts';

/** The lab CLI that has the lab of an id; of several, the first. Of an id that nobody knows, the first says that. */
export type OwnerOf = (id: string, fresh?: boolean) => Promise<Labs>;

/** One of several failed: which it was is part of the sentence. */
function named(error: unknown, { name }: Labs): Error {
  if (!(error instanceof AppError)) return error instanceof Error ? error : new Error(String(error));
  const { code, cause, errors, extra, retryAfterSeconds } = error;
  return new AppError(code, `${name}: ${error.message}`, {
    cause,
    errors,
    extra,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** What each of them answers; one that fails makes all of it fail, for an answer without its labs would say that they are gone. */
export async function ofEach<T>(
  members: readonly Labs[],
  ask: (labs: Labs) => Promise<T>,
): Promise<readonly T[]> {
  const [only] = members;
  if (only !== undefined && members.length === 1) return [await ask(only)];
  return Promise.all(
    members.map(async (labs) =>
      ask(labs).catch((error: unknown) => {
        throw named(error, labs);
      }),
    ),
  );
}

export function ownerAmong(members: readonly Labs[]): OwnerOf {
  const [first, ...others] = members;
  if (first === undefined) throw new Error('there is no lab CLI');
  return async (id, fresh = false) => {
    if (others.length === 0) return first;
    const failures: Error[] = [];
    for (const labs of members) {
      try {
        if ((await labs.status.entries(fresh)).has(id)) return labs;
      } catch (error) {
        failures.push(named(error, labs));
      }
    }
    // It may be one of those.
    if (failures[0] !== undefined) throw failures[0];
    return first;
  };
}

function seenBy(members: readonly Labs[]): SeenLabs | undefined {
  const seen = members.map(({ status }) => status.lastSeen);
  const told = seen.filter((one) => one !== undefined);
  if (told.length < seen.length) return undefined;
  return {
    atMs: Math.min(...told.map(({ atMs }) => atMs)),
    labs: told.flatMap(({ labs }) => labs),
    nodes: told.flatMap(({ nodes }) => nodes),
  };
}

/** Documents are those of one lab CLI: of the first, unless they are about a lab of another one. */
export function statusOfAll(first: Labs, members: readonly Labs[], ownerOf: OwnerOf) {
  const memberOf = (cli: string): Labs => members.find(({ name }) => name === cli) ?? first;
  return {
    all: (...args: Parameters<Labs['status']['all']>) => first.status.all(...args),
    documentOf: (...args: Parameters<Labs['status']['documentOf']>) => first.status.documentOf(...args),
    instance: async (...[id, format, how]: Parameters<Labs['status']['instance']>) =>
      (await ownerOf(id, how.fresh)).status.instance(id, format, how),
    list: async (fresh = false): Promise<readonly KnownLab[]> =>
      (await ofEach(members, async ({ status }) => status.list(fresh))).flat(),
    startOf: ({ cli, entry }: Pick<KnownLab, 'cli' | 'entry'>) => memberOf(cli).status.startOf({ entry }),
    get version(): string {
      return members.map(({ status }) => status.version).join(' ');
    },
    get lastSeen(): SeenLabs | undefined {
      return seenBy(members);
    },
    refresh: (olderThanMs: number): void => {
      for (const { status } of members) status.refresh(olderThanMs);
    },
  };
}

export function listOfAll(members: readonly Labs[], ownerOf: OwnerOf): Pick<Labs['list'], 'all' | 'one'> {
  return {
    all: async (how) => {
      const lists = await ofEach(members, async ({ list }) => list.all(how));
      return {
        value: lists.flatMap(({ value }) => value),
        ageMs: Math.max(...lists.map(({ ageMs }) => ageMs)),
      };
    },
    one: async (id, how) => (await ownerOf(id, how.fresh)).list.one(id, how),
  };
}

export function partsByLab(ownerOf: OwnerOf) {
  return {
    topologies: {
      of: async (id: string) => (await ownerOf(id)).topologies.of(id),
      directoryOf: async (id: string) => (await ownerOf(id)).topologies.directoryOf(id),
    },
    pictures: {
      svg: async (...[id, how]: Parameters<Labs['pictures']['svg']>) =>
        (await ownerOf(id)).pictures.svg(id, how),
    },
    tests: { of: async (id: string) => (await ownerOf(id)).tests.of(id) },
  };
}

type Nodes = Pick<Labs['nodes'], keyof Labs['nodes']>;

export function nodesOfAll(ownerOf: OwnerOf): Nodes {
  const of = async ({ lab }: NodeName): Promise<Nodes> => (await ownerOf(lab)).nodes;
  return {
    exec: async (name, ...rest) => (await of(name)).exec(name, ...rest),
    capture: async (name, ...rest) => (await of(name)).capture(name, ...rest),
    log: async (name, ...rest) => (await of(name)).log(name, ...rest),
    impairment: async (name, ...rest) => (await of(name)).impairment(name, ...rest),
    impair: async (name, ...rest) => (await of(name)).impair(name, ...rest),
    mend: async (name, ...rest) => (await of(name)).mend(name, ...rest),
    terminal: async (name, ...rest) => (await of(name)).terminal(name, ...rest),
    checkTerminal: async (name) => (await of(name)).checkTerminal(name),
  };
}

/** Layouts are kept by directory; what tools keep beside a topology is known to the lab CLI that has the lab there. */
export function layoutsOfAll(first: Labs, members: readonly Labs[]): Pick<Labs['layouts'], 'get' | 'put'> {
  const layoutsIn = (directory: string): Labs['layouts'] => {
    const owner = members.length === 1 ? first : members.find(({ places }) => places.recordedIn(directory));
    return (owner ?? first).layouts;
  };
  return {
    get: async (directory) => layoutsIn(directory).get(directory),
    put: async (directory, ...rest) => layoutsIn(directory).put(directory, ...rest),
  };
}
