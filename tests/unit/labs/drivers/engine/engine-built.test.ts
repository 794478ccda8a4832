/** Apart from the other tests of the driver: where mutations are tried, the copy of that program may not be executed. */
import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { engine } from '../../../../../src/labs/drivers/engine/engine.ts';
import { MachineOfLabs } from '../../../../support/machine-of-labs.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();

test('it is the one that was built with this program', () => {
  const program = path.resolve(import.meta.dirname, '../../../../../dist/engine/main.js');
  expect(engine.recognizes(program)).toBe(true);
  expect(engine.recognizes(`/elsewhere${program}`)).toBe(false);
  expect(engine.find({})).toMatchObject({ name: 'lab', file: program });
});

test('its labs are listed without a run of it', async () => {
  const machine = new MachineOfLabs(root);
  const ids = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const entry = {
    log: [],
    log_line: '',
    name: 'demo',
    providers: ['netns'],
    timestamp: '',
    topology: 't.yml',
  };
  const labs = ids.map(
    (id) => [id, { ...entry, dir: machine.place(`labs/${id}`), status: 'started' }] as const,
  );
  writeFileSync(
    path.join(machine.place('home/.lab'), 'status.json'),
    JSON.stringify(Object.fromEntries(labs)),
  );
  // A run would take longer.
  const { labs: listed } = machine.labs({ cli: 'engine', statusTimeoutMs: 1 });
  const { value } = await listed.listWithNodes({ fresh: true });
  expect(value.map(({ id, state, problem }) => [id, state, problem])).toEqual(
    ids.map((id) => [id, 'missing', null]),
  );
});
