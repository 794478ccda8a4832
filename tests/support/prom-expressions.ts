/** What an expression of Prometheus names. Enough for those that we write; `promtool` understands them really. */
import { describeMetrics } from '../../src/metrics/describe-metrics.ts';

interface Metric {
  readonly labelNames: readonly string[];
}

/** By the names under which they are scraped: a histogram has three. */
export function scrapedMetrics(): ReadonlyMap<string, Metric> {
  const entries = describeMetrics().flatMap(({ name, type, labelNames }): [string, Metric][] =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, { labelNames: [...labelNames, 'le'] }],
          [`${name}_sum`, { labelNames }],
          [`${name}_count`, { labelNames }],
        ]
      : [[name, { labelNames }]],
  );
  return new Map([...entries, ['up', { labelNames: [] }]]);
}

/** Labels that Prometheus itself gives to what it scrapes. */
const ownLabels = ['job', 'instance'];

const words = new Set(
  ['by', 'without', 'and', 'or', 'unless', 'sum', 'min', 'max', 'avg', 'count', 'rate', 'increase'].concat([
    'histogram_quantile',
    'time',
    'changes',
    'deriv',
    'min_over_time',
    'predict_linear',
    'label_values',
  ]),
);

/** What is wrong with the names in an expression: metrics that do not exist, and labels that these have not. */
export function wrongNames(expression: string, metrics = scrapedMetrics()): readonly string[] {
  const labels = [...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const rest = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\b(?:by|without)\s*\([^)]*\)/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\$\w+/g, '');
  const named = [...rest.matchAll(/(?<![\w.])[a-z_]\w*/gi)]
    .map(([name]) => name)
    .filter((name) => !words.has(name));
  const known = named.flatMap((name) => metrics.get(name)?.labelNames ?? []);
  return [
    ...(named.some((name) => metrics.has(name)) ? [] : ['no metric at all']),
    ...named.filter((name) => !metrics.has(name)),
    ...[...labels, ...grouped].filter((label) => ![...known, ...ownLabels].includes(label)),
  ];
}
