/** The state of the dialog, its request, and the reply of the service. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobRequest } from '../../../../../../src/client/api-types.ts';
import { newKey } from '../../../../../../src/client/persistently.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { queryClient } from '../../../api/query-client.ts';
import { submitJob } from '../../../api/service.ts';
import type { StartSource } from '../../../parts/start-link.ts';
import type { Field } from './fields.ts';
import { freshWorkspace, placeRequest, wrongPlace, type Place } from './place.ts';
import { firstTopology } from './source-field.tsx';
import { besideOf, type useTopology } from './use-topology.ts';
import { errorsByField, optionsOf, type Value, type Values } from './values.ts';

/** The request fields that are not options. */
const sourceNames = ['topology', 'topologyUrl', 'topologyPath'];
const placeNames = ['workspace', 'workdir'];

/** Most users who see other labs on this page want to start one beside them. */
const firstValues: Values = { multilabId: 'auto' };

function sourceRequest(source: StartSource, path: string | undefined, text: string): Record<string, unknown> {
  switch (source.kind) {
    case 'template':
      return { topologyPath: source.path };
    case 'workspace':
      return { workspace: source.name, topologyPath: path };
    case 'text':
      return { topology: text };
    case 'url':
      return { topologyUrl: text.trim() };
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
  readonly found: ReturnType<typeof useTopology>;
  /** Undefined when there is only one lab CLI. */
  readonly cli: string | undefined;
}

export function useStart(source: StartSource, fields: readonly Field[], { found, cli }: Chosen) {
  const [values, setValues] = useState<Values>(firstValues);
  const [fresh] = useState(() => freshWorkspace(source, Math.random()));
  const [place, setPlace] = useState<Place>({ kind: 'workspace', text: fresh });
  const [text, setText] = useState(source.kind === 'text' ? firstTopology : '');
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const [, navigate] = useLocation();
  const keyOf = useKey();
  const start = useMutation({
    mutationFn: async (request: JobRequest) => submitJob(request, keyOf(request)),
    onSuccess: async (job) => {
      await queryClient.invalidateQueries({ queryKey: ['jobs'] });
      navigate(`/jobs/${job.id}`);
    },
  });
  const submit = (): void => {
    const { options, wrong: badOptions } = optionsOf(fields, values);
    const bad = new Map([...badOptions, ...(source.kind === 'workspace' ? [] : wrongPlace(place))]);
    setWrong(bad);
    if (bad.size > 0) return start.reset();
    start.mutate({
      action: 'up',
      ...(cli !== undefined && { cli }),
      ...(source.kind !== 'workspace' && placeRequest(place, besideOf(source))),
      ...sourceRequest(source, found.chosen?.topologyPath, text),
      ...options,
    });
  };
  const names = [...fields.map(({ name }) => name), ...sourceNames, ...placeNames];
  const isChosen = source.kind === 'text' || source.kind === 'url' || found.chosen?.runnable === true;
  return {
    found,
    values,
    setValue: (name: string, value: Value) => setValues((before) => ({ ...before, [name]: value })),
    fresh,
    place,
    setPlace,
    text,
    setText,
    submit,
    mayStart: isChosen && !start.isPending,
    isPending: start.isPending,
    error: start.error,
    /** A new object for each failed attempt. */
    failure: wrong.size > 0 ? wrong : start.error,
    errors: errorsOf(start.error, names, wrong),
  };
}
