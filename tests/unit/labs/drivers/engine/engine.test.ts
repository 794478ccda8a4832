import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

describe('what an action that was ended may have left', () => {
  test.each([
    ['a state with a lab there', '{"7": {"dir": "/labs/a"}, "8": {"dir": "/labs/b"}}', true],
    ['a state with labs elsewhere', '{"7": {"dir": "/labs/a/b"}}', false],
    ['an empty state', '{}', false],
    ['no state', undefined, false],
    ['a damaged state', '{"7": {"dir"', true],
    ['a state of another shape', '{"7": null}', true],
  ])('the bundled engine, with %s', (name, state, expected) => {
    const home = path.join(root, name.replaceAll(' ', '-'));
    mkdirSync(home);
    if (state !== undefined) writeFileSync(path.join(home, 'status.json'), state);
    expect(engine.mayHaveLeftLab({ LAB_HOME: home }, '/labs/a')).toBe(expected);
  });
});
