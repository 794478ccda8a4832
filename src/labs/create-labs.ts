import { AllLabs } from './all-labs.ts';
import type { LabsDeps } from './labs-deps.ts';
import { Labs } from './labs.ts';
import { nodePlaces } from './nodes/lab-nodes.ts';

interface CreateLabsDeps extends Omit<LabsDeps, 'nodePlaces' | 'others'> {
  /** Further values like `cli`, each for another lab CLI. */
  readonly moreClis?: readonly string[];
}

/** The labs of this machine, by one lab CLI or several. Nothing is run before they are opened, or asked. */
export function createLabs({ moreClis = [], ...deps }: CreateLabsDeps): AllLabs {
  const places = nodePlaces(deps);
  const isAlone = moreClis.length === 0;
  const members: readonly Labs[] = [deps.cli, ...moreClis].map((cli): Labs => {
    const others = (): readonly Labs[] => members.filter((labs) => labs !== own);
    const own: Labs = new Labs({ ...deps, cli, nodePlaces: places, ...(!isAlone && { others }) });
    return own;
  });
  const formerly = (cli: string): Labs => new Labs({ ...deps, cli, nodePlaces: places });
  return new AllLabs({ members, formerly, workspaces: deps.workspaces });
}
