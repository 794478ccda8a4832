import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ZodPrefault } from 'zod';
import { secretVariables, settingNames, settingOf } from '../../src/config/settings.ts';

interface Entry {
  readonly name: string;
  readonly value: string;
  /** The comment above it. */
  readonly comment: string;
}

function readEntries(text: string): Entry[] {
  return text.split(/\n\s*\n/).flatMap((block) => {
    const lines = block.trim().split('\n');
    const match = /^# (LAB_API_\w+)=(.*)$/.exec(lines.at(-1) ?? '');
    const [, name, value] = match ?? [];
    return name === undefined || value === undefined
      ? []
      : [{ name, value, comment: lines.slice(0, -1).join('\n') }];
  });
}

const text = readFileSync(path.resolve(import.meta.dirname, '../../.env.example'), 'utf8');
const entries = readEntries(text);
const settings = new Map<string, ReturnType<typeof settingOf>>(
  settingNames.map(settingOf).map((setting) => [setting.variable, setting]),
);

/** Their defaults depend on the machine, so the example names none. */
const computed = ['LAB_API_MAX_RUNNING_JOBS'];

function constantDefault(variable: string): string {
  const value = settings.get(variable)?.value;
  if (computed.includes(variable) || !(value instanceof ZodPrefault)) return '';
  return String(value.def.defaultValue);
}

test('.env.example lists exactly the variables of the schema, in its order, secrets with their _FILE form', () => {
  const expected = [...settings.keys()].flatMap((name) =>
    secretVariables.includes(name) ? [name, `${name}_FILE`] : [name],
  );
  expect(entries.map(({ name }) => name)).toEqual(expected);
});

test('.env.example sets nothing: every line is a comment or empty', () => {
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
});

describe.each(entries)('$name', ({ name, value, comment }) => {
  test('has a purpose, a type and a default', () => {
    expect(comment).toMatch(/^# [A-Z][^\n]{15,}\n# Type: .+\. Default: .+$/);
  });

  test('names the default of the schema', () => {
    const wanted = constantDefault(name);
    expect(value).toBe(wanted);
    if (wanted !== '') expect(comment).toMatch(new RegExp(`Default: ${wanted}$`));
  });

  test('says whether a reload changes it', () => {
    const isLive = settings.get(name)?.isLive === true;
    expect(comment.includes('; a reload changes it. Default: ')).toBe(isLive);
  });

  test('names its flag', () => {
    const flag = settings.get(name)?.flag;
    const dashed = flag?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (dashed !== undefined) expect(comment).toContain(`--${dashed}`);
  });
});
