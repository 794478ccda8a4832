/** The workspaces that one user may see, and what he may do with them. The others are not there, but for their names. */
import { noSuchWorkspace } from '../labs/workspaces/workspace-places.ts';
import type { MayChange } from '../labs/workspaces/workspace.ts';
import { AppError } from '../lib/app-error.ts';
import type { Machine, WorkspaceParts } from './machine.ts';
import type { UserAccess } from './user-access.ts';

class WorkspaceGate {
  readonly #workspaces: WorkspaceParts;
  readonly #sight: UserAccess;

  constructor(workspaces: WorkspaceParts, sight: UserAccess) {
    this.#workspaces = workspaces;
    this.#sight = sight;
  }

  mayRead(name: string): boolean {
    const workspace = this.#sight.workspace(name);
    return workspace !== undefined && this.#sight.mayRead(workspace);
  }

  /** @throws AppError `workspace-not-found`, also for one that is there for others only. */
  read(name: string): void {
    // First, because of what can be no name.
    this.#workspaces.directoryOf(name);
    if (!this.mayRead(name)) throw noSuchWorkspace(name);
  }

  /** For a workspace that must be there. */
  change(name: string): MayChange {
    return () => {
      this.read(name);
      this.#assertMayChange(name);
    };
  }

  /** For one that is made when there is none. That the name of another one is taken cannot be kept from anybody. */
  make(name: string): MayChange {
    return () => {
      this.#sight.assertLoggedIn();
      const workspace = this.#sight.workspace(name);
      if (workspace !== undefined && !this.#sight.mayRead(workspace))
        throw new AppError('forbidden', `the name "${name}" is taken: choose another one`);
      if (workspace !== undefined) this.#assertMayChange(name);
    };
  }

  give(name: string): MayChange {
    return () => {
      this.read(name);
      const workspace = this.#sight.workspace(name);
      if (workspace) this.#sight.assertMayGive(workspace, `the workspace "${name}"`);
    };
  }

  #assertMayChange(name: string): void {
    const workspace = this.#sight.workspace(name);
    if (workspace) this.#sight.assertMayChange(workspace, `the workspace "${name}"`);
  }
}

export function restrictWorkspaces(
  { workspaces, files }: Machine,
  sight: UserAccess,
): Pick<Machine, 'workspaces' | 'files'> {
  const gate = new WorkspaceGate(workspaces, sight);
  return {
    workspaces: {
      nameOf: (directory) => workspaces.nameOf(directory),
      recordOf: (name) => (gate.mayRead(name) ? workspaces.recordOf(name) : undefined),
      isTaken: (name) => workspaces.isTaken(name),
      directoryOf: (name) => workspaces.directoryOf(name),
      list: async () => workspaces.list((name) => gate.mayRead(name)),
      get: async (name) => {
        gate.read(name);
        return workspaces.get(name);
      },
      make: async (name, owner) => workspaces.make(name, owner, gate.make(name)),
      replace: async (name, owner, archive) => workspaces.replace(name, owner, archive, gate.make(name)),
      remove: async (name) => workspaces.remove(name, gate.change(name)),
      give: async (name, owner) => workspaces.give(name, owner, gate.give(name)),
      withItems: async (name, use) => {
        gate.read(name);
        await workspaces.withItems(name, use);
      },
    },
    files: {
      list: async (name, ...rest) => {
        gate.read(name);
        return files.list(name, ...rest);
      },
      open: async (name, path) => {
        gate.read(name);
        return files.open(name, path);
      },
      write: async (name, path, body, { check }) =>
        files.write(name, path, body, { check, mayChange: gate.change(name) }),
      remove: async (name, path, { check }) =>
        files.remove(name, path, { check, mayChange: gate.change(name) }),
    },
  };
}
