/** Turns the values of the form into a request. */
import type { Field } from './fields.ts';

/** The value of a control; undefined and empty mean "not given". */
export type Value = string | boolean | readonly string[] | undefined;
export type Values = Readonly<Record<string, Value>>;

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  m: 60,
  min: 60,
  h: 3600,
  d: 86_400,
};

/** The seconds of `90`, `90 s`, `1 h 30 min`, `1.5h`, `2d`; a number alone is minutes. Undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]*)/gi)];
  if (parts.length === 0 || text.replaceAll(/(\d+(?:[.,]\d+)?)\s*([a-z]*)/gi, '').trim() !== '')
    return undefined;
  let seconds = 0;
  for (const [, count = '', unit = ''] of parts) {
    const each = unitSeconds[unit === '' ? 'min' : unit.toLowerCase()];
    if (each === undefined) return undefined;
    seconds += Number(count.replace(',', '.')) * each;
  }
  return seconds;
}

type Sent = { readonly value: unknown } | { readonly wrong: string };

function pairsOf(text: string): Sent {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const bad = lines.find((line) => !/^\s*[^=\s][^=]*=/.test(line));
  if (bad !== undefined) return { wrong: `"${bad.trim()}" is not name=value` };
  return {
    value: Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
    ),
  };
}

function sentOf({ control }: Field, value: string): Sent {
  switch (control.kind) {
    case 'duration': {
      const seconds = secondsOf(value);
      return seconds === undefined ? { wrong: 'a time such as 2 h, 90 min or 1 d 12 h' } : { value: seconds };
    }
    case 'number':
      // Other text is sent as it is: the service explains its error.
      return { value: control.words.includes(value) || Number.isNaN(Number(value)) ? value : Number(value) };
    case 'pairs':
      return pairsOf(value);
    case 'switch':
    case 'choice':
    case 'list':
    case 'text':
      return { value };
  }
}

/** The options of the request, or the errors that can be found without the service. */
export function optionsOf(
  fields: readonly Field[],
  values: Values,
): { readonly options: Readonly<Record<string, unknown>>; readonly wrong: ReadonlyMap<string, string> } {
  const options: Record<string, unknown> = {};
  const wrong = new Map<string, string>();
  for (const field of fields) {
    const given = values[field.name];
    if (given === undefined || given === '' || given === false) continue;
    if (typeof given !== 'string') {
      if (given === true || given.length > 0) options[field.name] = given;
      continue;
    }
    const sent = sentOf(field, given);
    if ('wrong' in sent) wrong.set(field.name, sent.wrong);
    else options[field.name] = sent.value;
  }
  return { options, wrong };
}

/** The errors of the service for these fields; errors of other fields are shown for the whole form. */
export function errorsByField(
  errors: readonly { readonly field: string; readonly message: string }[],
  names: readonly string[],
): { readonly at: ReadonlyMap<string, string>; readonly isAllPlaced: boolean } {
  const at = new Map<string, string>();
  let placed = 0;
  for (const { field, message } of errors) {
    const name = names.find(
      (one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`),
    );
    if (name === undefined) continue;
    placed += 1;
    const inner = field.slice(name.length).replace(/^\./, '');
    const text = inner === '' ? message : `${inner} ${message}`;
    at.set(name, at.has(name) ? `${at.get(name)}; ${text}` : text);
  }
  return { at, isAllPlaced: errors.length > 0 && placed === errors.length };
}
