/**
 * The rules about several fields of a request, in the words of JSON Schema: made from the tables by which the service checks
 * a request. They stand below `dependentSchemas` of a field that all requests have, because generators of clients skip
 * that: they make further types of `allOf` and `oneOf`.
 */
import { actions, specOf, topologyActions, topologyFields, type Action } from '../../labs/model/actions.ts';
import { cliOptions, type OptionName } from '../../labs/model/option-kinds.ts';
import { optionClashes, type Clash } from '../../labs/model/option-rules.ts';

/** In the place of a name: a workspace that is called after its job. */
export const autoWorkspace = 'auto';

const scenarioFields = ['scenario', 'scenarioPath'];

// eslint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
const implied = (condition: object, rule: object): object => ({ if: condition, then: rule });

const isOneOf = (wanted: readonly Action[]): object => ({ properties: { action: { enum: wanted } } });

const isList = (name: OptionName): boolean => ['list', 'command'].includes(cliOptions[name].kind);

const combinationOf = ({ given }: Clash): object => ({
  required: given.map(([name]) => name),
  properties: Object.fromEntries(
    given.filter(([, value]) => value !== undefined).map(([name, value]) => [name, { const: value }]),
  ),
});

function ruleOf(action: Action): object {
  const { needs = [], isOfService } = specOf(action);
  const filled = Object.fromEntries(needs.filter(isList).map((name) => [name, { minItems: 1 }]));
  const refused = optionClashes.filter((clash) => clash.actions.includes(action)).map(combinationOf);
  return {
    ...(needs.length > 0 && { required: needs, properties: filled }),
    ...(refused.length > 0 && { not: { anyOf: refused } }),
    ...(isOfService === true && { oneOf: scenarioFields.map((name) => ({ required: [name] })) }),
  };
}

/** The rule of each action. A chain, because a tool that makes requests combines rules that stand side by side. */
function ruleOfEach(): object {
  const byRule = new Map<string, readonly Action[]>();
  for (const action of actions) {
    const rule = JSON.stringify(ruleOf(action));
    if (rule !== '{}') byRule.set(rule, [...(byRule.get(rule) ?? []), action]);
  }
  return [...byRule].reduceRight<object>(
    (otherwise, [rule, its]) => ({
      ...implied(isOneOf(its), JSON.parse(rule) as object),
      else: otherwise,
    }),
    {},
  );
}

const isAuto = { required: ['workspace'], properties: { workspace: { const: autoWorkspace } } };

/** A workspace that is made for the job has what the request brings: only that can start a lab in it. */
const newWorkspace = implied(
  { anyOf: [isAuto, { required: ['source'] }] },
  {
    ...isOneOf(topologyActions),
    anyOf: [...topologyFields, 'source'].map((name) => ({ required: [name] })),
  },
);

export const requestRules = { dependentSchemas: { action: { allOf: [ruleOfEach(), newWorkspace] } } };
