/** Hints and errors for YAML files in the editor. */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { linter, type Diagnostic } from '@codemirror/lint';
import { hoverTooltip, type EditorView, type Tooltip } from '@codemirror/view';
import { StateEffect, type Extension, type Text } from '@codemirror/state';
import { queryClient } from '../../../api/query-client.ts';
import { formatOf } from '../../../parts/drawing/read-topology.ts';
import type { Problem } from '../../../parts/topology/topology-check.ts';
import { templateList } from '../queries.ts';
import { docAt, hintsAt, type Surroundings } from './topology-hints.ts';

/** More is known than at the last check. */
const moreKnown = StateEffect.define();

/** The problems that a lab CLI has found in a text. */
export interface CheckedText {
  readonly text: string;
  readonly problems: readonly Problem[];
}

/** The devices of the templates of this server; empty when they cannot be read. */
async function devicesHere(): Promise<readonly string[]> {
  try {
    const { templates } = await queryClient.fetchQuery(templateList);
    return [...new Set(templates.flatMap((template) => template.devices))];
  } catch {
    return [];
  }
}

/** Underlines the word at the position of a problem. */
function diagnosticOf(document: Text, { line, column, message, severity }: Problem): Diagnostic {
  const { from: start, to: end, text } = document.line(Math.min(line, document.lines));
  const from = Math.min(start + column - 1, end);
  const word = /^[^\s,:[\]{}]+/.exec(text.slice(from - start))?.[0].length ?? 0;
  return { from, to: Math.min(from + Math.max(word, 1), end), message, severity };
}

function docBox(key: string, doc: string): HTMLElement {
  const box = document.createElement('div');
  const head = box.appendChild(document.createElement('strong'));
  head.textContent = key;
  box.append(document.createElement('br'), doc);
  box.style.padding = '6px 10px';
  return box;
}

function hoverAt(view: EditorView, offset: number, path: string): Tooltip | null {
  const word = view.state.wordAt(offset);
  const text = view.state.doc.toString();
  const found = docAt(text, word?.from ?? offset, formatOf(path, text));
  if (found === undefined) return null;
  return { pos: word?.from ?? offset, above: true, create: () => ({ dom: docBox(found.key, found.doc) }) };
}

/** YAML reads these words as yes or no. */
const inQuotes = (label: string): string => (/^(?:on|off|yes|no|null)$/.test(label) ? `"${label}"` : label);

function complete(context: CompletionContext, around: Surroundings): CompletionResult | null {
  const text = context.state.doc.toString();
  const { from, hints } = hintsAt(text, context.pos, around);
  if (!context.explicit && from === context.pos) return null;
  const isQuoted = /["']/.test(text[from - 1] ?? '');
  const isFollowed = /^\s*:/.test(text.slice(context.pos));
  const options = hints.map(({ label, kind, doc }) => ({
    label,
    type: kind === 'key' ? 'property' : 'constant',
    ...(kind === 'key' && !isFollowed && { apply: `${label}: ` }),
    ...(kind === 'value' && !isQuoted && { apply: inQuotes(label) }),
    ...(doc !== '' && (kind === 'key' ? { info: doc } : { detail: doc })),
  }));
  return options.length === 0 ? null : { from, options, validFor: /^[\w-]*$/ };
}

export interface YamlHelp {
  readonly extension: Extension;
  /** Adds these problems to those of this page, as long as the text is the same. */
  readonly add: (view: EditorView, checked: CheckedText) => void;
}

/** `onProblems` gets the problems after each check. */
export function yamlHelp(path: string, onProblems: (problems: readonly Problem[]) => void): YamlHelp {
  let checked: CheckedText | undefined;
  let around: Omit<Surroundings, 'format'> = { nodes: [], devices: [] };
  let isAsked = false;
  /** The check does not wait for the devices of this server: it runs again when they are known. */
  const askDevices = async (view: EditorView): Promise<void> => {
    isAsked = true;
    around = { ...around, devices: await devicesHere() };
    if (around.devices.length > 0) view.dispatch({ effects: moreKnown.of(null) });
  };
  const look = async (view: EditorView): Promise<Diagnostic[]> => {
    const { state } = view;
    if (!isAsked) void askDevices(view);
    const { check } = await import('../../../parts/topology/yaml-check.ts');
    const text = state.doc.toString();
    const { problems: own, nodes = around.nodes } = check(path, text, around.devices);
    around = { ...around, nodes };
    const problems = checked?.text === text ? [...own, ...checked.problems] : own;
    onProblems(problems);
    return problems.map((problem) => diagnosticOf(state.doc, problem));
  };
  const extension = [
    linter(look, {
      delay: 300,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(moreKnown))),
    }),
    autocompletion({
      override: [
        (context) => complete(context, { ...around, format: formatOf(path, context.state.doc.toString()) }),
      ],
    }),
    hoverTooltip((view, offset) => hoverAt(view, offset, path)),
  ];
  return {
    extension,
    add: (view, next) => {
      checked = next;
      view.dispatch({ effects: moreKnown.of(null) });
    },
  };
}
