/** Where workspaces are, and what they may be called. */
import path from 'node:path';
import { fieldError, invalidField, type AppError } from '../../lib/app-error.ts';

/** It begins with neither a dot nor a dash: it is the name of a directory, and may stand in a command line. */
export const workspaceNamePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** In the place of a name: a workspace that is called after its job. */
const autoWorkspace = 'auto';

const namesAllowed =
  'small letters, digits and . _ - only, at most 63 of them, beginning with a letter or a digit';

/** @throws AppError `invalid-request` about `field`. */
export function checkWorkspaceName(name: string, field = 'name'): void {
  if (!workspaceNamePattern.test(name)) throw invalidField(field, `must have ${namesAllowed}`);
  if (name === autoWorkspace)
    throw invalidField(field, `"${autoWorkspace}" stands for a workspace that is called after its job`);
}

export function noSuchWorkspace(name: string): AppError {
  return fieldError(
    'workspace-not-found',
    'workspace',
    `there is no workspace "${name}"; GET /workspaces lists them`,
  );
}

export class WorkspacePlaces {
  /** A real path once the service has started. */
  directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The directory for the service's own files. No workspace can have this name. */
  get ownDirectory(): string {
    return path.join(this.directory, '.lab-api');
  }

  pathOf(name: string): string {
    return path.join(this.directory, name);
  }

  /** The workspace that a directory (a real path) is, or is in; null for any other. */
  nameOf(directory: string): string | null {
    // Of one that is outside, the first part is `..`; of the directory of all, it is empty.
    const [name = ''] = path.relative(this.directory, directory).split(path.sep);
    return workspaceNamePattern.test(name) ? name : null;
  }
}
