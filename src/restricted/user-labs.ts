/** The labs of this machine as one user may have them. The labs that the user may not see are not there. */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Share } from '../access/model/groups.ts';
import { unknownInstance } from '../labs/drivers/status-failure.ts';
import type { AskedCheck, CheckedTopology } from '../labs/checks/topology-check.ts';
import type { CliLabs } from '../labs/cli-labs.ts';
import type { LabTemplate } from '../labs/templates/templates.ts';
import type { Labs, ListedLabs } from '../labs/labs.ts';
import type { Fault } from '../labs/model/fault.ts';
import type { GitCommit } from '../labs/model/git-source.ts';
import { actions, specOf, type Action } from '../labs/model/actions.ts';
import type { LabReadiness } from '../labs/ready/lab-ready.ts';
import { searchLabs, type SearchResult } from '../labs/search/search-labs.ts';
import type { SearchQuery } from '../labs/search/search-query.ts';
import type { ListedLab } from '../labs/status/lab-list.ts';
import type { KnownLab, StatusDocument, StatusFormat } from '../labs/status/lab-status.ts';
import type { TemplateSource } from '../labs/workspaces/receive-template.ts';
import { fieldError, invalidField } from '../lib/app-error.ts';
import { expandHome } from '../lib/files/home.ts';
import { Lab } from './lab.ts';
import type { Machine } from './machine.ts';
import type { Needs } from './needs.ts';
import { stoppedLabs, type StoppedLab } from './stopped-labs.ts';
import type { UserAccess } from './user-access.ts';
import type { UserJobs } from './user-jobs.ts';
import { withoutOutput } from './without-output.ts';

const noLabs = 'there are no labs that you may see';

function lineOf({ id, directory, entry }: KnownLab): string {
  const { status } = entry;
  return [id, directory ?? '-', typeof status === 'string' ? status : '-'].join('  ');
}

/** The status of these labs, in the format of the lab CLI. */
function statusOf(labs: readonly KnownLab[], format: StatusFormat, all: Pick<Labs, 'documentOf'>): Buffer {
  if (format === 'text') return Buffer.from(`${labs.map(lineOf).join('\n') || noLabs}\n`);
  const document = all.documentOf(new Map(labs.map(({ id, entry }) => [id, entry])));
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}

/** Differs between two starts of labs. */
function startKey({ id, cli, workdir, startedAtMs }: ListedLab): string {
  return JSON.stringify([cli, id, workdir, startedAtMs]);
}

interface Freshness {
  readonly fresh: boolean;
}

/** Facts of a lab that the service knows by itself. */
export interface LabFacts {
  /** The workspace that the lab lives in. */
  readonly workspace: string | null;
  /** The commit that the files of the workspace came from. */
  readonly source: GitCommit | null;
  /** When its lease ends, RFC 3339. */
  readonly expiresAt: string | null;
  /** The user who asked for the job that started it. */
  readonly owner: string | null;
  /** With whom its owner shares it. */
  readonly shares: readonly Share[];
  /** The links and nodes that are broken on purpose. */
  readonly faults: readonly Fault[];
  /** The ids of its last jobs, newest first. */
  readonly jobs: readonly string[];
}

/** The permission of the user for one lab, by the same checks that refuse requests. */
interface LabPermission {
  readonly allows: (needs: Needs) => boolean;
  /** The actions on this lab that the user may start jobs of, and that its lab CLI has. */
  readonly startable: readonly Action[];
}

const jobsMax = 10;

/** The actions on a lab that is there, but for those that only report. */
const labActions: readonly Action[] = actions.filter((action) => {
  const { instance, locksWorkdir } = specOf(action);
  return instance !== undefined && locksWorkdir;
});

interface WithWorkspace {
  readonly workspace: string | undefined;
}

interface UserLabsDeps {
  readonly machine: Pick<
    Machine,
    'labs' | 'leases' | 'faults' | 'owners' | 'groups' | 'jobs' | 'workspaces' | 'snapshots'
  >;
  /** Those that the user may see. */
  readonly jobs: Pick<UserJobs, 'find' | 'summaries' | 'mayStart' | 'assertMayStart'>;
  /** Undefined for a user who may do everything. */
  readonly access: UserAccess | undefined;
}

export class UserLabs {
  readonly #deps: UserLabsDeps;
  readonly #labs: Labs;
  readonly #access: UserAccess | undefined;

  constructor(deps: UserLabsDeps) {
    this.#deps = deps;
    this.#labs = deps.machine.labs;
    this.#access = deps.access;
  }

  /** The lab CLIs of the service; the first serves requests that name none. */
  clis(): readonly ReturnType<CliLabs['describe']>[] {
    return this.#labs.members.map((labs) => labs.describe());
  }

  /**
   * The lab of an id, if the user may do with it what the request needs. This look-up decides which lab CLI has the lab: another
   * lab CLI may have a lab of the same id, of another user.
   * @throws AppError `instance-not-found`, `forbidden`.
   */
  async find(id: string, needs: Needs, fresh = false): Promise<Lab> {
    // A user who may do everything needs no list: the lab CLI itself refuses an id that it does not know.
    if (this.#access === undefined && needs !== 'give')
      return this.#labOf(id, await this.#labs.having(id, fresh));
    const known = await this.#known(id, needs === 'give');
    if (known === undefined) throw unknownInstance(id);
    const lab = this.#labOf(id, this.#labs.named(known.cli), known);
    if (needs === 'change') lab.assertMayChange();
    return lab;
  }

  #labOf(id: string, labs: CliLabs, known?: KnownLab): Lab {
    return new Lab({ id, labs, known, access: this.#access, machine: this.#deps.machine });
  }

  async list(how: Freshness): Promise<ListedLabs> {
    const access = this.#narrowed;
    if (access === undefined) return this.#labs.listWithNodes(how);
    const { value, ...rest } = await this.#labs.listWithNodes(how).catch((error: unknown) => {
      throw withoutOutput(error);
    });
    const isVisible = ({ cli, workdir, entry }: ListedLab): boolean =>
      access.mayRead(access.labResource({ cli, directory: workdir ?? undefined, entry }));
    return { value: value.filter(isVisible), ...rest };
  }

  /** Searches the labs that the user may see. @throws AppError as `list`. */
  async search(query: SearchQuery, limit: number): Promise<SearchResult & Pick<ListedLabs, 'missingClis'>> {
    const { value: labs, missingClis } = await this.list({ fresh: false });
    const factsOf = async ({ id, cli }: ListedLab) => this.#labs.named(cli).facts.of(id);
    const found = await searchLabs({ labs, query, limit, factsOf });
    if (this.#narrowed === undefined) return { ...found, missingClis };
    // Meanwhile a lab may have gone, and a lab of another user may have its id.
    const visible = new Set((await this.list({ fresh: false })).value.map(startKey));
    const isStill = ({ lab }: { readonly lab: ListedLab }): boolean => visible.has(startKey(lab));
    const { matches, isTruncated, incomplete } = found;
    return {
      matches: matches.filter(isStill),
      isTruncated,
      incomplete: incomplete.filter(isStill),
      missingClis,
    };
  }

  /** The labs that have ended and can be started again, newest first. @throws AppError when no lab CLI tells which are up. */
  async stopped(): Promise<readonly StoppedLab[]> {
    const { jobs, machine } = this.#deps;
    const there = await this.#labs.listWithNodes({ fresh: false }).catch((error: unknown) => {
      throw this.#narrowed === undefined ? error : withoutOutput(error);
    });
    return stoppedLabs({ labs: machine.labs, jobs }, there);
  }

  /** The document of the first lab CLI, without the labs that the user may not see. */
  async status(format: StatusFormat, how: Freshness): Promise<StatusDocument> {
    const access = this.#narrowed;
    if (access === undefined) return this.#labs.status(format, how);
    const all = await this.#labs.listOfFirst(how.fresh).catch((error: unknown) => {
      throw withoutOutput(error);
    });
    const visible = all.filter((lab) => access.mayRead(access.labResource(lab)));
    const { ageMs } = await this.#labs.status('json', { fresh: false });
    return { body: statusOf(visible, format, this.#labs), format, ageMs };
  }

  factsOf({ id, cli, workdir, entry }: ListedLab): LabFacts {
    const { jobs, machine } = this.#deps;
    const { workspaces, leases, faults, owners } = machine;
    const startedAtMs = this.#labs.startOf({ cli, entry })?.atMs ?? null;
    const started = { directory: workdir, startedAtMs };
    const last = jobs.summaries({ instance: id, ...(workdir !== null && { workdir }) }, jobsMax);
    const workspace = workdir === null ? null : workspaces.nameOf(workdir);
    return {
      workspace,
      source: (workspace === null ? undefined : workspaces.recordOf(workspace)?.source) ?? null,
      expiresAt: leases.expiresAt({ cli, directory: workdir ?? undefined, entry }),
      owner: owners.ownerOf(started),
      shares: owners.sharesOf(started),
      faults: faults.of({ id, cli }),
      jobs: last.map((job) => job.id),
    };
  }

  /** Which of its nodes are ready, from the last check; from now on they are checked until they are. */
  readyOf(lab: ListedLab): LabReadiness {
    const { ready } = this.#labs.named(lab.cli);
    ready.known(lab);
    return ready.of(lab);
  }

  /** For the labs of one reply: it asks the lab CLIs once. */
  permissions(): (lab: ListedLab) => LabPermission {
    const { jobs, machine } = this.#deps;
    const access = this.#access;
    const drivers = new Map(this.clis().map(({ name, driver }) => [name, driver]));
    return ({ cli, workdir, entry }) => {
      const unsupported = drivers.get(cli)?.unsupported;
      const had = labActions.filter((action) => unsupported?.[action] === undefined);
      if (access === undefined) return { allows: () => true, startable: had };
      const lab = access.labResource({ cli, directory: workdir ?? undefined, entry });
      const { directory } = lab;
      const workspace = directory === null ? null : machine.workspaces.nameOf(directory);
      const place = directory === null ? null : { workdir: directory, workspace };
      // All of these lock the directory, and the check tells actions apart by nothing else.
      const startable = jobs.mayStart('down', place) ? had : [];
      return { allows: (needs) => access.may(needs, lab), startable };
    };
  }

  /** The templates in a directory (absolute) that the request names in `field`. @throws AppError `forbidden-path`, `directory-not-found`. */
  async templatesIn(directory: string, field: string, recursive: boolean): Promise<readonly LabTemplate[]> {
    if (this.#access && !this.#access.mayName(directory))
      throw fieldError('forbidden-path', field, 'must lie inside one of the directories that you may use');
    // First: nothing outside the roots is revealed.
    this.#labs.roots.check(directory, field);
    const found = await stat(directory).catch(() => undefined);
    if (!found?.isDirectory())
      throw fieldError('directory-not-found', field, `there is no directory ${directory}`);
    return this.#labs.templates(directory, recursive);
  }

  /**
   * A template that the user may start, for a copy of it.
   * @throws AppError `forbidden-path`, `directory-not-found`, `topology-not-found`; `invalid-request` about a file that is none.
   */
  async template(given: string): Promise<TemplateSource> {
    const file = path.resolve(expandHome(given));
    const name = path.basename(file);
    const directory = await realpath(path.dirname(file)).catch(() => path.dirname(file));
    const found = await this.templatesIn(directory, 'template', false);
    const template = found.find((one) => one.path === name);
    if (template === undefined) {
      const missing = `there is no topology file ${file}; GET /templates lists them`;
      throw fieldError('topology-not-found', 'template', missing);
    }
    if (template.error !== null) throw invalidField('template', template.error);
    const { roots, runAs: reader } = this.#labs;
    return { directory, name, reader, isPrivate: (place) => roots.isPrivate(place) };
  }

  /**
   * Has a lab CLI look at a topology, without a lab of it. With `workspace`, one that the user was found to change, as if it lay there.
   * @throws AppError as a job of the user would, and as `TopologyCheck.of`.
   */
  async check({
    workspace,
    ...asked
  }: Pick<AskedCheck, 'topology' | 'path' | 'user' | 'signal'> & WithWorkspace): Promise<
    CheckedTopology & { readonly cli: string }
  > {
    const { jobs, machine } = this.#deps;
    this.#access?.assertLoggedIn();
    const [first] = this.#labs.members;
    const labs = this.#labs.members.find((one) => one.ownsTopology(asked.path)) ?? first;
    if (labs === undefined) throw new Error('there is no lab CLI');
    if (workspace === undefined) return { cli: labs.name, ...(await labs.checks.of(asked)) };
    const workdir = machine.workspaces.directoryOf(workspace);
    jobs.assertMayStart('create', { workdir, workspace });
    const withFiles: AskedCheck['withFiles'] = async (use) => machine.workspaces.withItems(workspace, use);
    return { cli: labs.name, ...(await labs.checks.of({ ...asked, workdir, withFiles })) };
  }

  async #known(id: string, fresh: boolean): Promise<KnownLab | undefined> {
    const access = this.#narrowed;
    if (access === undefined) return this.#labs.find(id, fresh);
    return this.#labs
      .find(id, fresh, (lab) => access.mayRead(access.labResource(lab)))
      .catch((error: unknown) => {
        throw withoutOutput(error);
      });
  }

  /** Undefined for a user who may see every lab. */
  get #narrowed(): UserAccess | undefined {
    return this.#access?.isNarrowed === true ? this.#access : undefined;
  }
}
