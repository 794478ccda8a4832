/** The state of the dialog, its request, and the reply of the service. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobRequest } from '../../../../../../src/client/api-types.ts';
import { newKey } from '../../../../../../src/client/persistently.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { fetchAgain } from '../../../api/query-client.ts';
import { submitJob } from '../../../api/service.ts';
import { useStore } from '../../../api/store.ts';
import { startText, type StartSource } from '../../../parts/start-link.ts';
import { typedTopology } from '../../../parts/typed-topology.ts';
import { useAddress } from '../../../parts/use-address.ts';
import type { Field } from './fields.ts';
import { gitName, gitNames, gitRequest, noGit, wrongGit, type GitText } from './git-source.ts';
import { freshWorkspace, placeRequest, wrongPlace, type Place } from './place.ts';
import { saveTopology } from './save-topology.ts';
import { firstTopology } from './source-field.tsx';
import { besideOf, type FoundTopology } from './use-topology.ts';
import { errorsByField, optionsOf, type Value, type Values } from './values.ts';

/** The request fields that are not options. */
const sourceNames = ['topology', 'topologyUrl', 'topologyPath'];
/** `name` is that of the workspace, in the request that makes it. */
const placeNames = ['workspace', 'workdir', 'name'];

/** Most users who see other labs on this page want to start one beside them. */
const firstValues: Values = { multilabId: 'auto' };

function sourceRequest(
  source: StartSource,
  { chosen, keptBy }: FoundTopology,
  typed: { readonly text: string; readonly path: string | undefined; readonly git: GitText },
): Record<string, unknown> {
  switch (source.kind) {
    case 'template':
      return { topologyPath: source.path };
    case 'workspace':
      return {
        workspace: source.name,
        ...(keptBy === undefined ? { topologyPath: chosen?.topologyPath } : { snapshot: true }),
      };
    case 'text':
      return typed.path === undefined ? { topology: typed.text } : { topologyPath: typed.path };
    case 'url':
      return { topologyUrl: typed.text.trim() };
    case 'git':
      return gitRequest(typed.git);
    case 'choose':
      return {};
  }
}

/** The same request has the same key, so that a second click or a retry does not start a second lab. */
function useKey(): (request: unknown) => string {
  const last = useRef({ text: '', key: '' });
  return (request) => {
    const text = JSON.stringify(request);
    if (last.current.text !== text) last.current = { text, key: newKey() };
    return last.current.key;
  };
}

/** The errors of the form and of the service, by field. */
function errorsOf(error: Error | null, names: readonly string[], wrong: ReadonlyMap<string, string>) {
  const said = errorsByField(error instanceof ServiceError ? error.errors : [], names);
  const at = new Map([...said.at, ...wrong]);
  const firstOf = (some: readonly string[]): string | undefined =>
    some.map((name) => at.get(name)).find((message) => message !== undefined);
  return { at, source: firstOf(sourceNames), place: firstOf(placeNames), isAllPlaced: said.isAllPlaced };
}

interface Chosen {
  readonly found: FoundTopology;
  readonly cli: string | undefined;
  /** Whether there are several lab CLIs. */
  readonly isChoice: boolean;
}

/** The text of the source; a typed topology is kept, also while the dialog is closed. */
function useText({ kind }: StartSource) {
  const [url, setUrl] = useState('');
  const typed = useStore(typedTopology);
  return kind === 'text'
    ? { text: typed ?? firstTopology, setText: (text: string) => typedTopology.set(text) }
    : { text: url, setText: setUrl };
}

/** The file of a typed topology that is started in a workspace. */
function useSavedText(source: StartSource, cli: string | undefined) {
  const last = useRef<Awaited<ReturnType<typeof saveTopology>>>(undefined);
  return async (place: Place, text: string): Promise<typeof last.current> => {
    if (source.kind !== 'text' || place.kind !== 'workspace') return undefined;
    last.current = await saveTopology({ workspace: place.text.trim(), text, cli }, last.current);
    return last.current;
  };
}

/** A new workspace, until the user chooses another place. */
function usePlace(source: StartSource, git: GitText) {
  const [random] = useState(Math.random);
  const [picked, setPlace] = useState<Place>();
  const fresh = freshWorkspace(source, random, gitName(git));
  const place: Place = picked ?? { kind: 'workspace', text: fresh };
  return { place, fresh, setPlace };
}

/** The errors of source and place that can be found without the service. */
function wrongIn(source: StartSource, place: Place, git: GitText): ReadonlyMap<string, string> {
  if (source.kind === 'workspace') return new Map();
  return new Map([...wrongPlace(place), ...(source.kind === 'git' ? wrongGit(git) : [])]);
}

const isStartable = ({ kind }: StartSource, { chosen, keptBy }: FoundTopology): boolean =>
  ['text', 'url', 'git'].includes(kind) || chosen?.runnable === true || keptBy !== undefined;

export function useStart(source: StartSource, fields: readonly Field[], { found, cli, isChoice }: Chosen) {
  const [values, setValues] = useState<Values>(firstValues);
  const [git, setGit] = useState(noGit);
  const { place, ...places } = usePlace(source, git);
  const { text, setText } = useText(source);
  const saved = useSavedText(source, cli);
  const { change } = useAddress();
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const [, navigate] = useLocation();
  const keyOf = useKey();
  const start = useMutation({
    mutationFn: async (options: Readonly<Record<string, unknown>>) => {
      const file = await saved(place, text);
      const request: JobRequest = {
        action: 'up',
        ...(isChoice && cli !== undefined && { cli }),
        ...(source.kind !== 'workspace' && placeRequest(place, besideOf(source))),
        ...sourceRequest(source, found, { text, path: file?.path, git }),
        ...options,
      };
      return { job: await submitJob(request, keyOf([request, text])), file };
    },
    onSuccess: async ({ job, file }) => {
      await fetchAgain(['jobs']);
      if (source.kind === 'text') typedTopology.set(undefined);
      // The way back leads to the file.
      if (file) change({ start: startText({ kind: 'workspace', name: file.workspace, file: file.path }) });
      navigate(`/jobs/${job.id}`);
    },
  });
  const submit = (): void => {
    const { options, wrong: badOptions } = optionsOf(fields, values);
    const bad = new Map([...badOptions, ...wrongIn(source, place, git)]);
    setWrong(bad);
    if (bad.size > 0) return start.reset();
    start.mutate(options);
  };
  const names = [...fields.map(({ name }) => name), ...gitNames, ...sourceNames, ...placeNames];
  return {
    found,
    values,
    setValue: (name: string, value: Value) => setValues((before) => ({ ...before, [name]: value })),
    ...places,
    place,
    text,
    setText,
    git,
    setGit: (next: GitText) => {
      setWrong(new Map());
      start.reset();
      setGit(next);
    },
    submit,
    mayStart: isStartable(source, found) && !start.isPending,
    isPending: start.isPending,
    error: start.error,
    /** A new object for each failed attempt. */
    failure: wrong.size > 0 ? wrong : start.error,
    errors: errorsOf(start.error, names, wrong),
  };
}
