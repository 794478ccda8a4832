import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

describe('what an action that was ended may have left', () => {
  test.each([
    {
      name: 'a state with a lab there',
      state: '{"7": {"dir": "/labs/a"}, "8": {"dir": "/labs/b"}}',
      expected: true,
    },
    { name: 'a state with labs elsewhere', state: '{"7": {"dir": "/labs/a/b"}}', expected: false },
    { name: 'an empty state', state: '{}', expected: false },
    { name: 'no state', state: undefined, expected: false },
    { name: 'a damaged state', state: '{"7": {"dir"', expected: true },
    { name: 'a state of another shape', state: '{"7": null}', expected: true },
  ])('the bundled engine, with $name', ({ name, state, expected }) => {
    const home = path.join(root, name.replaceAll(' ', '-'));
    mkdirSync(home);
    if (state !== undefined) writeFileSync(path.join(home, 'status.json'), state);
    expect(engine.mayHaveLeftLab({ LAB_HOME: home }, '/labs/a', '')).toBe(expected);
  });
});
