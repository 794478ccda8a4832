/** The table, the alerts and the dashboard name the metrics that the service has. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { describeMetrics } from '../../src/metrics/describe-metrics.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement } from '../support/requirements.ts';

const packaging = path.join(repoRoot, 'packaging', 'prometheus');
const read = (...names: readonly string[]): string => readFileSync(path.join(repoRoot, ...names), 'utf8');

// Which metrics and labels an expression of Prometheus names: enough for those that we write. `promtool` understands them really.

interface Metric {
  readonly labelNames: readonly string[];
}

/** By the names under which they are scraped: a histogram has three. */
function scrapedMetrics(): ReadonlyMap<string, Metric> {
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

const vocabulary = new Set(
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

/** The names in an expression that no metric or label has. */
function wrongNames(expression: string, metrics = scrapedMetrics()): readonly string[] {
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
    .filter((name) => !vocabulary.has(name));
  const known = named.flatMap((name) => metrics.get(name)?.labelNames ?? []);
  return [
    ...(named.some((name) => metrics.has(name)) ? [] : ['no metric at all']),
    ...named.filter((name) => !metrics.has(name)),
    ...[...labels, ...grouped].filter((label) => ![...known, ...ownLabels].includes(label)),
  ];
}

describe('metrics', () => {
  test.each(describeMetrics())('$name is named as Prometheus wants it, and says its unit', (metric) => {
    expect(metric.name).toMatch(/^(lab_api|process|nodejs)_[a-z_]+$/);
    expect(metric.name.endsWith('_total')).toBe(metric.type === 'counter');
    if (metric.type === 'histogram') expect(metric.name).toMatch(/_seconds$/);
    if (/_seconds(_total)?$/.test(metric.name)) expect(metric.help).toMatch(/seconds/);
    if (/_bytes(_total)?$/.test(metric.name)) expect(metric.help).toMatch(/bytes/i);
    expect(metric.help).toMatch(/^[A-Z].+\.$/);
  });

  test('are those of the table in docs/operations.md; after a build, scripts/metrics-table.mjs writes it', () => {
    const section = /^## Metrics\n([^]*?)^## /m.exec(read('docs', 'operations.md'))?.[1] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    const told = cells.map(([, name, type, labels, help]) => ({ name, type, labels, help }));
    const code = (text: string): string => `\`${text}\``;
    const there = describeMetrics().map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map(code).join(', ');
      return { name: code(name), type, labels, help };
    });
    expect(told).toEqual(there);
  });
});

describe('what finds wrong names', () => {
  test.each([
    ['lab_api_jobs_qeued > 0', ['no metric at all', 'lab_api_jobs_qeued']],
    ['lab_api_jobs_queued{state="x"} > 0', ['state']],
    ['sum by (action, colour) (rate(lab_api_jobs_finished_total[5m]))', ['colour']],
    [
      'histogram_quantile(0.5, sum by (le) (rate(lab_api_job_duration_seconds[5m])))',
      ['no metric at all', 'lab_api_job_duration_seconds', 'le'],
    ],
    [
      'sum by (job, instance, state) (increase(lab_api_jobs_finished_total{reason!="x"}[$__range])) > 2e3',
      [],
    ],
  ])('%s', (expression, wrong) => {
    expect(wrongNames(expression)).toEqual(wrong);
  });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

describe('packaging/prometheus', () => {
  const rulesOf = (text: string): readonly Rule[] =>
    (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
  const rules = rulesOf(read('packaging', 'prometheus', 'lab-api.rules.yml'));
  const { missing, file: promtool } = requirement('promtool');
  const because = missing === undefined ? '' : ` (skipped: ${missing})`;

  test.each(rules)('$alert names what there is', ({ expr }) => {
    expect(wrongNames(expr)).toEqual([]);
  });

  test('each alert has a test', () => {
    const { tests } = parse(read('packaging', 'prometheus', 'lab-api.rules.test.yml')) as {
      tests: { name: string; alert_rule_test: { exp_alerts: unknown[] }[] }[];
    };
    expect(tests.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const { alert_rule_test: looks } of tests)
      expect(looks.map(({ exp_alerts: expected }) => expected.length)).toEqual([0, 1]);
  });

  (missing === undefined ? test : test.skip).each([
    { words: ['check', 'rules', 'lab-api.rules.yml'] },
    { words: ['check', 'config', '--syntax-only', 'prometheus.yml'] },
    { words: ['test', 'rules', 'lab-api.rules.test.yml'] },
  ])(`promtool $words has nothing against it${because}`, ({ words }) => {
    const { status, stdout, stderr } = spawnSync(promtool, words, { cwd: packaging, encoding: 'utf8' });
    expect({ status, stderr, failed: /FAILED/.test(stdout) }).toEqual({
      status: 0,
      stderr: '',
      failed: false,
    });
  });
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly targets?: readonly {
    readonly expr: string;
    readonly refId: string;
    readonly datasource: unknown;
  }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: unknown }[];
  };
  readonly annotations: { readonly list: readonly { readonly expr: string; readonly datasource: unknown }[] };
}

describe('packaging/grafana', () => {
  const text = read('packaging', 'grafana', 'lab-api.json');
  const dashboard = JSON.parse(text) as Dashboard;
  const shown = dashboard.panels.filter(({ type }) => type !== 'row');
  const queries = shown.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  const chosen = { type: 'prometheus', uid: '${datasource}' };

  test.each(queries)('$title: $expr', ({ expr }) => {
    expect(wrongNames(expr)).toEqual([]);
    // Of the services that were chosen above, and not of all.
    expect(expr.match(/\b(lab_api|process|nodejs)_\w+/g)?.length ?? 0).toBeLessThanOrEqual(
      expr.match(/\{job=~"\$job", instance=~"\$instance"/g)?.length ?? 0,
    );
  });

  test('every metric of ours is on a panel of packaging/grafana/lab-api.json', () => {
    const named = new Set(queries.flatMap(({ expr }) => expr.match(/\blab_api_\w+/g) ?? []));
    const unseen = [...scrapedMetrics().keys()].filter(
      (name) => name.startsWith('lab_api_') && !named.has(name) && !/_(sum|count|bucket)$/.test(name),
    );
    // The limit of the queue is for the alert.
    expect(unseen).toEqual(['lab_api_jobs_queued_limit']);
  });

  test('names no data source of its own', () => {
    const [first, ...variables] = dashboard.templating.list;
    expect(first).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    expect(variables.map(({ name }) => name)).toEqual(['job', 'instance']);
    const all: unknown[] = [];
    JSON.parse(text, (key, value: unknown) => {
      if (key === 'datasource') all.push(value);
      return value;
    });
    expect(all.length).toBeGreaterThan(queries.length);
    for (const source of all) expect(source).toEqual(chosen);
    for (const { expr } of dashboard.annotations.list) expect(wrongNames(expr)).toEqual([]);
  });

  test('has the form that Grafana imports', () => {
    expect(dashboard).toMatchObject({ id: null, uid: 'lab-api', title: 'lab-api', schemaVersion: 39 });
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const types = ['stat', 'timeseries', 'heatmap', 'bargauge', 'table'];
    expect(shown.filter(({ type }) => !types.includes(type))).toEqual([]);
  });

  test.each(shown)('$title says what it shows, with a unit', (panel) => {
    expect(panel.description).toMatch(/^[A-Z].+\.$/);
    if (panel.type !== 'heatmap' && panel.type !== 'table')
      expect(panel.fieldConfig?.defaults.unit).toMatch(/\w/);
    const refs = panel.targets?.map(({ refId }) => refId) ?? [];
    expect(refs.length).toBeGreaterThan(0);
    expect(new Set(refs).size).toBe(refs.length);
  });

  test('no two panels lie on one another, and none leaves the page', () => {
    const places = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => ({ column: x + (n % w), line: y + Math.floor(n / w) })),
    );
    expect(places.filter(({ column }) => column >= 24)).toEqual([]);
    expect(new Set(places.map(({ column, line }) => `${column}/${line}`)).size).toBe(places.length);
  });
});
