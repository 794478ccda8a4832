/** `netlab report` and `netlab show reports` (netlab 26.10: netsim/cli/report.py, netsim/cli/show/reports.py). */
import { stripVTControlCharacters } from 'node:util';
import { isMapping, textOf } from '../../../lib/mapping.ts';
import { understand } from '../../system/foreign-file.ts';
import type { ListedReport, ReportFormat, ReportsDriver } from '../reports-driver.ts';
import { ranToItsEnd, reportFailure } from '../status-failure.ts';
import { topologyYaml } from '../topology-yaml.ts';

const formatOf = (name: string): ReportFormat => {
  if (name.endsWith('.html')) return 'html';
  return name.endsWith('.md') ? 'markdown' : 'text';
};

/** By format and short name: `{ html: { addressing: { name: addressing.html, desc: … } } }`. */
function reportsIn(document: unknown): ListedReport[] {
  const formats = isMapping(document) ? Object.values(document).filter(isMapping) : [];
  const reports = formats.flatMap((reportsOfFormat) => Object.values(reportsOfFormat).filter(isMapping));
  return reports.flatMap(({ name, desc }) => {
    const text = textOf(name);
    return text === null ? [] : [{ name: text, description: textOf(desc), format: formatOf(text) }];
  });
}

/** netlab exits with 0 all the same (netsim/outputs/report.py, render_from_file). */
const missing = (name: string): string => `Cannot find "${name}.j2" in any of the report directories`;

export const netlabReports: ReportsDriver = {
  list: async (run) => {
    const result = await run(['show', 'reports', '--format', 'yaml']);
    const isWhole = ranToItsEnd(result) && result.exitCode === 0;
    const document = isWhole
      ? await understand(topologyYaml, result.stdout).catch(() => undefined)
      : undefined;
    const reports = reportsIn(document);
    if (reports.length === 0) throw reportFailure(result);
    return reports.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  },
  formatOf,
  // Warnings go to standard error. With a snapshot in the directory, netlab reports the lab as it was started.
  make: async (run, name) => {
    const result = await run(['report', '--quiet', name]);
    const errors = stripVTControlCharacters(result.stderr.toString('utf8'));
    if (ranToItsEnd(result) && errors.includes(missing(name))) return undefined;
    if (!ranToItsEnd(result) || result.exitCode !== 0 || result.stdout.length === 0)
      throw reportFailure(result);
    return result.stdout;
  },
};
