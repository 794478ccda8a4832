/** The names of the workspaces that labs from a snapshot get. */
import type { Workspace } from '../../../../../src/client/api-types.ts';
import { workspaceNameProblem } from '../../parts/workspace-name.ts';

type Known = readonly Pick<Workspace, 'name' | 'lab' | 'job'>[];

/** As the service names them: `class-1`, `class-2` for two copies, and the name alone for one lab. */
export function restoredNames(name: string, copies: number): readonly string[] {
  return copies === 1 ? [name] : Array.from({ length: copies }, (_, at) => `${name}-${at + 1}`);
}

/** The longest name that leaves room for a number. */
const longest = 58;

/** A name that is free, as far as the user sees: that of the snapshot, or with a number. */
export function proposedName(snapshot: string, known: Known): string {
  const isFree = (name: string): boolean => known.every((workspace) => workspace.name !== name);
  for (let nth = 1; nth <= known.length; nth += 1) {
    const name = nth === 1 ? snapshot : `${snapshot.slice(0, longest)}-${nth}`;
    if (isFree(name)) return name;
  }
  return known.length === 0 ? snapshot : `${snapshot.slice(0, longest)}-${known.length + 1}`;
}

interface Wanted {
  readonly name: string;
  readonly copies: number;
  /** Whether the files of the workspace may go. */
  readonly replaces: boolean;
}

/** The mistake in the name; undefined if it can be used, as far as the user sees. */
export function restoredNameProblem({ name, copies, replaces }: Wanted, known: Known): string | undefined {
  const names = restoredNames(name, copies);
  const problem = workspaceNameProblem(name) ?? workspaceNameProblem(names.at(-1) ?? '');
  if (problem !== undefined) return problem;
  const there = known.find((workspace) => names.includes(workspace.name));
  if (there === undefined) return undefined;
  if (there.lab !== null && copies === 1)
    return `lab ${there.lab} runs in this workspace: stop it first, or choose another name`;
  if (there.job !== null && copies === 1)
    return 'a job is at work in this workspace: wait for its end, or choose another name';
  if (copies > 1) return `the workspace ${there.name} exists: choose another name`;
  return replaces ? undefined : 'a workspace of this name exists: choose another name, or replace its files';
}
