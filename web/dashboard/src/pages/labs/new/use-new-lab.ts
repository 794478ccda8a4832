/** The state of the dialog "New lab", and the workspace that it makes. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { fetchAgain } from '../../../api/query-client.ts';
import { useWorkspaces } from '../../../api/queries.ts';
import { client, submitJob } from '../../../api/service.ts';
import { useAddress } from '../../../parts/use-address.ts';
import { workspaceNameProblem } from '../../../parts/workspace-name.ts';
import {
  numbersOf,
  planOf,
  planText,
  shapeNames,
  shapes,
  topologyText,
  type NumberName,
  type ShapeName,
} from '../../../parts/drawing/shapes.ts';
import type { StartSource } from '../../../parts/start-link.ts';
import { gitName, gitNames, gitRequest, noGit, wrongGit } from '../start/git-source.ts';
import { freshWorkspace } from '../start/place.ts';
import { saveTopology } from '../start/save-topology.ts';
import { errorsByField } from '../start/values.ts';
import type { Beginning } from './shape-cards.tsx';

/** The parameters of the address that are of this dialog. */
const numberNames: readonly NumberName[] = ['routers', 'spines', 'leaves', 'hosts'];
const noNumbers = Object.fromEntries(numberNames.map((name) => [name, undefined]));
export const closed = { ...noNumbers, new: undefined, dir: undefined, template: undefined };

const shapeOf = (text: string): ShapeName | undefined => shapeNames.find((name) => name === text);

/** Reads `new` in the address; unknown text means a blank lab. */
export function beginningOf(text: string): Beginning {
  return text === 'template' || text === 'git' ? text : (shapeOf(text) ?? 'blank');
}

/** The numbers of the shape, in the address. */
function useShape(beginning: Beginning) {
  const { get, change } = useAddress();
  const shape = shapeOf(beginning) ?? 'blank';
  const { fields } = shapes[shape];
  const textOf = (name: NumberName): string =>
    get(name) ?? String(fields.find((field) => field.name === name)?.first ?? '');
  const { numbers, wrong } = numbersOf(shape, textOf);
  return {
    shape,
    wrong,
    plan: wrong.size === 0 ? planOf(shape, numbers) : undefined,
    fields: fields.map((field) => ({
      ...field,
      text: textOf(field.name),
      error: wrong.get(field.name),
      onText: (text: string) => change({ [field.name]: text }),
    })),
  };
}

/** The words of a lab name that are no word of the page: names of netlab have letters alone. */
const labNames: Readonly<Partial<Record<ShapeName, string>>> = { blank: 'lab', 'spine-leaf': 'spineleaf' };

/** The name of the workspace: proposed until the user types one. */
function useName(source: StartSource, named: string) {
  const [random] = useState(Math.random);
  const [typed, setName] = useState<string>();
  /** The workspace of an attempt that failed after it was made. */
  const [own, setOwn] = useState<string>();
  const known = useWorkspaces().data ?? [];
  const name = typed?.trim() ?? freshWorkspace(source, random, named);
  const isTaken = name !== own && known.some((workspace) => workspace.name === name);
  const problem = isTaken
    ? 'a workspace of this name exists: choose another name'
    : workspaceNameProblem(name);
  return { text: typed ?? name, name, setName, setOwn, problem };
}

interface Choice {
  readonly beginning: Beginning;
  readonly cli: string | undefined;
  /** The path of a topology file on the server. */
  readonly template: string | undefined;
}

export function useNewLab({ beginning, cli, template }: Choice) {
  const { change } = useAddress();
  const [, navigate] = useLocation();
  const [git, setGit] = useState(noGit);
  const shape = useShape(beginning);
  const lab = labNames[shape.shape] ?? shape.shape;
  const source: StartSource =
    template === undefined ? { kind: 'choose' } : { kind: 'template', path: template };
  const place = useName(source, beginning === 'git' ? gitName(git) : lab);
  const last = useRef<Awaited<ReturnType<typeof saveTopology>>>(undefined);
  /** The mistakes of the last attempt: a new object for each attempt. */
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>();

  const save = async (): Promise<string | undefined> => {
    if (shape.plan === undefined) return undefined;
    const { name: workspace } = place;
    const isOfContainers = cli === 'containerlab';
    // containerlab tells labs apart by their names.
    const text = topologyText(shape.plan, cli, isOfContainers ? workspace : lab);
    const name = isOfContainers ? workspace : undefined;
    place.setOwn(workspace);
    last.current = await saveTopology({ workspace, text, cli, name }, last.current);
    return last.current.path;
  };
  const fetch = async (): Promise<string | undefined> => {
    const { name: workspace } = place;
    // The only action besides a start that fetches files.
    await submitJob({ action: 'create', workspace, ...(cli !== undefined && { cli }), ...gitRequest(git) });
    return git.topology.trim() || undefined;
  };
  const copy = async (path: string): Promise<string | undefined> => {
    await client.workspaces.make(place.name, { template: path });
    return path.split('/').at(-1);
  };
  const make = useMutation({
    mutationFn: async () => {
      if (template !== undefined) return copy(template);
      return beginning === 'git' ? fetch() : save();
    },
    onSuccess: async (file) => {
      await fetchAgain(['workspaces']);
      // The way back leads to the labs.
      change(closed);
      const query = new URLSearchParams({ ...(file !== undefined && { file }), view: 'drawing' });
      navigate(`/workspaces/${encodeURIComponent(place.name)}?${query.toString()}`);
    },
  });
  const names = [...gitNames, 'workspace', 'name'];
  const { at, isAllPlaced } = errorsByField(
    make.error instanceof ServiceError ? make.error.errors : [],
    names,
  );
  const errors = new Map([...at, ...(wrong ?? [])]);
  return {
    shape,
    planText: shape.plan && planText(shape.plan),
    git,
    setGit: (next: typeof git) => {
      setWrong(undefined);
      make.reset();
      setGit(next);
    },
    name: {
      text: place.text,
      error: place.problem ?? errors.get('workspace') ?? errors.get('name'),
      onText: (text: string) => {
        make.reset();
        place.setName(text);
      },
    },
    errors,
    /** An error that belongs to no field. */
    error: isAllPlaced ? null : make.error,
    isPending: make.isPending,
    failure: wrong ?? make.error,
    submit: (): void => {
      const bad = beginning === 'git' ? wrongGit(git) : shape.wrong;
      const isWrong = bad.size > 0 || place.problem !== undefined;
      setWrong(isWrong ? new Map(bad) : undefined);
      if (!isWrong) make.mutate();
    },
  };
}
