/** The rules about several options of a request. The plan of a job checks them, and the description of the API has them. */
import { actions, belongsTo, specOf, type Action } from './actions.ts';
import type { OptionName } from './option-kinds.ts';
import { highestMultilabId, type CliOptionValues } from './options.ts';

/** Options that some actions refuse together. */
export interface Clash {
  readonly actions: readonly Action[];
  /** Each with its value; without one, any value. The message is about the first. */
  readonly given: readonly (readonly [name: OptionName, value?: string | boolean])[];
  readonly message: string;
}

/** The actions whose lab holds a free multilab id, as long as it runs. */
export const idHolders = actions.filter(
  (action) => specOf(action).cleanedUpBy !== undefined && belongsTo('multilabId', action),
);

const clashes: readonly Clash[] = [
  {
    actions: actions.filter((action) => !idHolders.includes(action)),
    given: [['multilabId', 'auto']],
    message: `"auto" goes with "${idHolders.join('", "')}" only: give a number from 1 to ${highestMultilabId}`,
  },
  {
    actions: idHolders,
    given: [
      ['multilabId', 'auto'],
      ['snapshot', true],
    ],
    message: '"auto" does not go with "snapshot": the snapshot has its id',
  },
  {
    actions,
    given: [['cleanup', true], ['nodeFilter']],
    message: 'does not go with "nodeFilter": it removes the files of the whole lab',
  },
];

/** The same, each with the actions that know all of its options: the others ignore them. */
export const optionClashes: readonly Clash[] = clashes.map((clash) => ({
  ...clash,
  actions: clash.actions.filter((action) => clash.given.every(([name]) => belongsTo(name, action))),
}));

const isMissing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0);

/** The first rule that the options of a request break. */
export function brokenRule(
  action: Action,
  options: CliOptionValues,
): { readonly field: OptionName; readonly message: string } | undefined {
  const missing = specOf(action).needs?.find((name) => isMissing(options[name]));
  if (missing !== undefined) return { field: missing, message: `is required by "${action}"` };
  const clash = optionClashes.find(
    (one) =>
      one.actions.includes(action) &&
      one.given.every(([name, value]) =>
        value === undefined ? options[name] !== undefined : options[name] === value,
      ),
  );
  const [field] = clash?.given[0] ?? [];
  return clash && field && { field, message: clash.message };
}
