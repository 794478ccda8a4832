/** Apart from the other tests of the driver: where mutations are tried, the copy of that program may not be executed. */
import { expect, test } from '@jest/globals';
import path from 'node:path';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';

test('it is the one that was built with this program', () => {
  const program = path.resolve(import.meta.dirname, '../../../../../dist/engine/main.js');
  expect(engine.recognizes(program)).toBe(true);
  expect(engine.recognizes(`/elsewhere${program}`)).toBe(false);
  expect(engine.find({})).toMatchObject({ name: 'lab', file: program });
});
