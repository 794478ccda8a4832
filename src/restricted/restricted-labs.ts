/** The labs that one user may see, and what he may do with them. The others are not there. */
import { unknownInstance } from '../labs/drivers/status-failure.ts';
import type { KnownLab, StatusDocument, StatusFormat } from '../labs/status/lab-status.ts';
import { AppError, fieldError } from '../lib/app-error.ts';
import type { NodeName } from '../labs/nodes/lab-nodes.ts';
import type { LabParts, Parts } from './parts.ts';
import { withoutOutput } from './without-output.ts';
import { statusOf } from './status-document.ts';
import type { UserAccess } from './user-access.ts';

/** What decides about the labs of this machine for one user. */
export class LabGate {
  readonly #labs: LabParts;
  readonly #sight: UserAccess;

  constructor({ labs }: Pick<Parts, 'labs'>, sight: UserAccess) {
    this.#labs = labs;
    this.#sight = sight;
  }

  async known(fresh = false): Promise<readonly KnownLab[]> {
    const all = await this.#labs.status.list(fresh).catch((error: unknown) => {
      throw this.#sight.isNarrowed ? withoutOutput(error) : error;
    });
    if (!this.#sight.isNarrowed) return all;
    return all.filter((lab) => this.#sight.mayRead(this.#sight.labResource(lab)));
  }

  /**
   * Lets pass what is about a lab that may be read, and gives it: another lab CLI may have one of the same id, that of somebody
   * else. @throws AppError `instance-not-found`.
   */
  async read(id: string): Promise<KnownLab> {
    const lab = (await this.known()).find((one) => one.id === id);
    if (lab === undefined) throw unknownInstance(id);
    return lab;
  }

  /** The same for what changes a lab. @throws AppError `instance-not-found`, `forbidden`. */
  async change(id: string): Promise<KnownLab> {
    const lab = await this.read(id);
    this.#sight.assertMayChange(this.#sight.labResource(lab), `the lab "${id}"`);
    return lab;
  }
}

async function allStatus(
  { status, members }: LabParts,
  gate: LabGate,
  format: StatusFormat,
  fresh: boolean,
): Promise<StatusDocument> {
  // The document of one lab CLI, as for everybody.
  const [first] = members;
  const visible = (await gate.known(fresh)).filter(({ cli }) => cli === first?.name);
  const { ageMs } = await status.all('json', { fresh: false });
  return { body: statusOf(visible, format, status), format, ageMs };
}

/** The parts of the lab CLI that has the lab which was let pass, and of no other. */
type PartsOf = (lab: Promise<KnownLab>) => Promise<LabParts>;

function nodesOf(gate: LabGate, partsOf: PartsOf): LabParts['nodes'] {
  const read = async ({ lab }: NodeName) => (await partsOf(gate.read(lab))).nodes;
  const change = async ({ lab }: NodeName) => (await partsOf(gate.change(lab))).nodes;
  return {
    exec: async (name, ...rest) => (await change(name)).exec(name, ...rest),
    capture: async (name, ...rest) => (await change(name)).capture(name, ...rest),
    log: async (name, ...rest) => (await read(name)).log(name, ...rest),
    impairment: async (name, ...rest) => (await read(name)).impairment(name, ...rest),
    impair: async (name, ...rest) => (await change(name)).impair(name, ...rest),
    mend: async (name, ...rest) => (await change(name)).mend(name, ...rest),
    checkTerminal: async (name) => (await change(name)).checkTerminal(name),
    terminal: async (name, size) => (await change(name)).terminal(name, size),
  };
}

/** Layouts are kept by directory: whose lab is there decides. */
function layoutsOf({ layouts }: LabParts, sight: UserAccess): LabParts['layouts'] {
  return {
    get: async (directory) => {
      if (sight.isNarrowed && !sight.mayRead(sight.labIn(directory) ?? sight.place(directory)))
        throw new AppError('forbidden', 'the layout is that of a lab that you may not see');
      return layouts.get(directory);
    },
    put: async (directory, layout, check) => {
      const assertMayChange = (): void => {
        const lab = sight.labIn(directory) ?? sight.place(directory);
        sight.assertMayChange(lab, `the lab in ${directory}`);
      };
      assertMayChange();
      const checkAgain: typeof check = (now) => {
        assertMayChange();
        check(now);
      };
      // A lab may be that of a topology which is not in its directory, and not for whoever moves its nodes.
      await layouts.put(directory, layout, checkAgain, (file) => sight.mayUse(file));
    },
  };
}

function checkNamed(sight: UserAccess, realPath: string, field: string): void {
  if (!sight.mayName(realPath))
    throw fieldError('forbidden-path', field, 'must lie inside one of the directories that you may use');
}

export function restrictLabs({ labs, ofCli }: Parts, sight: UserAccess, gate: LabGate): LabParts {
  const { status, list, roots } = labs;
  const partsOf: PartsOf = async (lab) => ofCli((await lab).cli).labs;
  const read = async (id: string): Promise<LabParts> => partsOf(gate.read(id));
  return {
    findCli: () => labs.findCli(),
    members: labs.members,
    recorded: () =>
      labs.recorded().filter((lab) => sight.mayRead(sight.labAt(lab.directory, lab.startedAtMs))),
    status: {
      list: async (fresh) => gate.known(fresh),
      startOf: (lab) => status.startOf(lab),
      documentOf: (entries) => status.documentOf(entries),
      all: async (format, { fresh }) =>
        sight.isNarrowed ? allStatus(labs, gate, format, fresh) : status.all(format, { fresh }),
      instance: async (id, ...rest) => (await read(id)).status.instance(id, ...rest),
    },
    list: {
      all: async (options) => {
        if (!sight.isNarrowed) return list.all(options);
        const { value, ageMs } = await list.all(options).catch((error: unknown) => {
          throw withoutOutput(error);
        });
        const isVisible = ({ cli, workdir, entry }: (typeof value)[number]): boolean =>
          sight.mayRead(sight.labResource({ cli, directory: workdir ?? undefined, entry }));
        return { value: value.filter(isVisible), ageMs };
      },
      one: async (id, options) => (await read(id)).list.one(id, options),
    },
    topologies: {
      of: async (id) => (await read(id)).topologies.of(id),
      directoryOf: async (id) => (await read(id)).topologies.directoryOf(id),
    },
    layouts: layoutsOf(labs, sight),
    pictures: { svg: async (id, options) => (await read(id)).pictures.svg(id, options) },
    roots: {
      check: (realPath, field) => {
        checkNamed(sight, realPath, field);
        roots.check(realPath, field);
      },
    },
    templates: async (directory, recursive) => {
      checkNamed(sight, directory, 'dir');
      return labs.templates(directory, recursive);
    },
    nodes: nodesOf(gate, partsOf),
    tests: { of: async (id) => (await read(id)).tests.of(id) },
  };
}
