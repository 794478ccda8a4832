/** One workspace as a user may have it: everything that HTTP may ask of it or do to it. `UserWorkspaces.find` is the way to it. */
import type { FileHandle } from 'node:fs/promises';
import type { Share } from '../access/model/groups.ts';
import type { LabLayout, LabLayouts } from '../labs/picture/lab-layouts.ts';
import type { WorkspaceFiles } from '../labs/workspaces/workspace-files.ts';
import { receiveTemplate, type TemplateSource } from '../labs/workspaces/receive-template.ts';
import type { Receive } from '../labs/workspaces/replacements.ts';
import { checkWorkspaceName, noSuchWorkspace } from '../labs/workspaces/workspace-places.ts';
import type { Workspace as WorkspaceView } from '../labs/workspaces/workspace.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { AppError } from '../lib/app-error.ts';
import { assertGroups } from './assert-groups.ts';
import type { Machine } from './machine.ts';
import type { Needs } from './needs.ts';
import type { UserAccess } from './user-access.ts';

type Body = Parameters<WorkspaceFiles['write']>[2];
type Precondition = Parameters<WorkspaceFiles['write']>[3]['check'];

interface WorkspaceDeps {
  readonly machine: Pick<Machine, 'workspaces' | 'files' | 'groups' | 'labs'>;
  /** Undefined where users do not log in. */
  readonly access: UserAccess | undefined;
}

/** Changes ask for permission when they are requested, and again in their turn, when nothing can come in between any more. */
export class Workspace {
  readonly name: string;
  readonly #workspaces: Workspaces;
  readonly #files: WorkspaceFiles;
  readonly #groups: Machine['groups'];
  readonly #labs: Machine['labs'];
  readonly #access: UserAccess | undefined;

  constructor(name: string, { machine: { workspaces, files, groups, labs }, access }: WorkspaceDeps) {
    this.name = name;
    this.#workspaces = workspaces;
    this.#files = files;
    this.#groups = groups;
    this.#labs = labs;
    this.#access = access;
  }

  /** @throws AppError `workspace-not-found`, also for a workspace that only others may see. */
  assertMayRead(): void {
    if (this.#access === undefined) return;
    // Refuses a name that no workspace can have.
    this.#workspaces.directoryOf(this.name);
    const workspace = this.#access.workspace(this.name);
    if (workspace === undefined || !this.#access.mayRead(workspace)) throw noSuchWorkspace(this.name);
  }

  /** @throws AppError `workspace-not-found`, `forbidden`; `unauthorized` when the login has ended meanwhile. */
  readonly assertMayChange = (): void => {
    this.assertMayRead();
    this.#assertIsOwn();
  };

  /** For a workspace that is made when it is absent. That a name is taken cannot be hidden from other users. */
  readonly #assertMayMake = (): void => {
    const access = this.#access;
    access?.assertLoggedIn();
    const workspace = access?.workspace(this.name);
    if (workspace && !access?.mayRead(workspace))
      throw new AppError('forbidden', `the name "${this.name}" is taken: choose another one`);
    this.#assertIsOwn();
  };

  #assertIsOwn(): void {
    const workspace = this.#access?.workspace(this.name);
    if (workspace) this.#access?.assertMayChange(workspace, `the workspace "${this.name}"`);
  }

  /** An upload counts for the owner of the workspace. */
  readonly #rethrow = (error: unknown): never => {
    throw this.#access ? this.#access.uploadError(error, this.name) : error;
  };

  async view(): Promise<WorkspaceView> {
    this.assertMayRead();
    return this.#workspaces.get(this.name);
  }

  /** Makes an empty workspace unless it is there; whether it is new. */
  async make(owner: string | null): Promise<boolean> {
    return this.#workspaces.make(this.name, owner, this.#assertMayMake);
  }

  /** Makes it with a copy of a template: all of its files, or nothing. @throws AppError as `assertIsFree`, `receiveTemplate`. */
  async makeFrom(owner: string | null, template: TemplateSource): Promise<void> {
    const [name, check] = [this.name, () => this.assertIsFree()];
    checkWorkspaceName(name);
    check();
    const receive: Receive<undefined> = async (...to) => ({
      amount: await receiveTemplate(template, ...to),
      came: undefined,
    });
    await this.#workspaces
      .withFiles({ name, owner }, receive, async ({ putInto }) => putInto(name, { owner, check }))
      .catch(this.#rethrow);
  }

  /** Puts the files of an archive in the place of its files, or makes it; whether it is new. */
  async replace(owner: string | null, archive: Parameters<Workspaces['replace']>[2]): Promise<boolean> {
    return this.#workspaces.replace(this.name, owner, archive, this.#assertMayMake).catch(this.#rethrow);
  }

  /** See `Workspaces.withArchive`. @throws AppError also `workspace-busy` when it is there and `mustBeNew`. */
  async withArchive<T>(
    { owner, mustBeNew }: { readonly owner: string | null; readonly mustBeNew: boolean },
    archive: Parameters<Workspaces['withArchive']>[1],
    use: (put: (job: string) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const check = mustBeNew ? () => this.assertIsFree() : this.#assertMayMake;
    return this.#workspaces.withArchive({ name: this.name, owner, check }, archive, use).catch(this.#rethrow);
  }

  /** @throws AppError `workspace-busy` when it is there, and as `find` for one that is to be made. */
  assertIsFree(): void {
    this.#assertMayMake();
    if (this.#workspaces.isTaken(this.name))
      throw new AppError(
        'workspace-busy',
        `the workspace "${this.name}" is there already: choose another name`,
      );
  }

  async remove(): Promise<void> {
    await this.#workspaces.remove(this.name, () => {
      this.assertMayChange();
      const workspace = this.#access?.workspace(this.name);
      // A user with whom it is shared could make it anew, as its owner.
      if (workspace)
        this.#access?.assertMayChange({ ...workspace, shares: [] }, `the workspace "${this.name}"`);
    });
  }

  /** Gives it to another user; its owner and administrators may. */
  async give(owner: string | null): Promise<void> {
    await this.#workspaces.setAccess(this.name, { owner, shares: [] }, () => {
      this.#assertMayGive();
      this.#access?.assertMayGet(owner, { workspace: this.name });
    });
  }

  /** Replaces the shares of the workspace; its owner and administrators may. @throws AppError `group-not-found`. */
  async share(shares: readonly Share[]): Promise<void> {
    // First, so that others do not learn which groups there are.
    this.#assertMayGive();
    assertGroups(shares, this.#groups());
    await this.#workspaces.setAccess(this.name, { shares }, this.#assertMayGive);
  }

  readonly #assertMayGive = (): void => {
    this.assertMayRead();
    const workspace = this.#access?.workspace(this.name);
    if (workspace) this.#access?.assertMayGive(workspace, `the workspace "${this.name}"`);
  };

  /** Calls `use` with all files and directories, for an archive. */
  async withItems(use: Parameters<Workspaces['withItems']>[1]): Promise<void> {
    await this.#workspaces.withItems(this.name, use);
  }

  /** Where nodes were put in the picture of a lab that is here, or is only drawn so far. @throws AppError `workspace-not-found`. */
  async layout(): Promise<LabLayout> {
    const layouts = await this.#layouts();
    return layouts.get(this.#workspaces.directoryOf(this.name));
  }

  /** Replaces the layout, unless `check` throws for the current one. @throws AppError as `layout`; `forbidden`, `storage-fault`. */
  async replaceLayout(layout: LabLayout, check: (now: LabLayout) => void): Promise<void> {
    const layouts = await this.#layouts();
    const mayWrite = (file: string): boolean => this.#workspaces.nameOf(file) === this.name;
    const checkNow = (now: LabLayout): void => {
      this.assertMayChange();
      check(now);
    };
    const directory = this.#workspaces.directoryOf(this.name);
    await layouts.put(directory, layout, checkNow, mayWrite);
    // Removed meanwhile: another one of its name begins without positions.
    await this.#assertIsThere().catch(async (error: unknown) => {
      await layouts.forget(directory);
      throw error;
    });
  }

  async #layouts(): Promise<LabLayouts> {
    await this.#assertIsThere();
    return this.#labs.layoutsFor(this.#workspaces.directoryOf(this.name));
  }

  async #assertIsThere(): Promise<void> {
    const isThere = await this.#workspaces.store.exists(this.name);
    if (!isThere) throw noSuchWorkspace(this.name);
  }

  async listFiles(path: string, isRecursive: boolean): ReturnType<WorkspaceFiles['list']> {
    return this.#files.list(this.name, path, isRecursive);
  }

  /** The caller closes the file. */
  async openFile(path: string): Promise<FileHandle> {
    return this.#files.open(this.name, path);
  }

  async writeFile(path: string, body: Body, check: Precondition): ReturnType<WorkspaceFiles['write']> {
    const conditions = { check, mayChange: this.assertMayChange };
    return this.#files.write(this.name, path, body, conditions).catch(this.#rethrow);
  }

  async removeFile(path: string, check: Precondition): Promise<void> {
    await this.#files.remove(this.name, path, { check, mayChange: this.assertMayChange });
  }
}

/** The workspaces as one user may have them. The others are not there, but for their names. */
export class UserWorkspaces {
  readonly #deps: WorkspaceDeps;

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
  }

  async list(): Promise<readonly WorkspaceView[]> {
    const { access, machine } = this.#deps;
    return machine.workspaces.list((name) => {
      const workspace = access?.workspace(name);
      return access === undefined || (workspace !== undefined && access.mayRead(workspace));
    });
  }

  /** The name of the workspace that a directory (a real path) is in, whether or not the user may read it; null for none. */
  nameOf(directory: string): string | null {
    return this.#deps.machine.workspaces.nameOf(directory);
  }

  /** The workspace of a name, if the user may do with it what the request needs. @throws AppError as `assertMayChange`. */
  find(name: string, needs: Needs): Workspace {
    const workspace = new Workspace(name, this.#deps);
    if (needs === 'change') workspace.assertMayChange();
    else if (needs !== 'make') workspace.assertMayRead();
    return workspace;
  }
}
