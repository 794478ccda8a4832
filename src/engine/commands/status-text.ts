/** The text output of `lab status`: tables with the words of netlab. */
import Table from 'cli-table3';

export interface NodeStatus {
  readonly device: string;
  readonly mgmt: string;
  readonly connection: string;
  readonly provider: string;
  readonly provider_name: string;
  readonly status: string;
}

interface LabRow {
  readonly dir: string;
  readonly status: string;
  readonly providers: readonly string[];
}

function table(head: string[], rows: readonly string[][]): string {
  // No colours: the service and logs show the bytes unchanged.
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return `${drawn.toString()}\n`;
}

export function allText(labs: Readonly<Record<string, LabRow>>): string {
  const rows = Object.entries(labs).map(([id, lab]) => [id, lab.dir, lab.status, lab.providers.join(', ')]);
  return `Active lab instance(s)\n\n${table(['id', 'directory', 'status', 'providers'], rows)}`;
}

export function instanceText(
  instance: string,
  lab: LabRow & { readonly topology: string; readonly nodes: Readonly<Record<string, NodeStatus>> },
): string {
  const head = ['node', 'device', 'mgmt IP', 'connection', 'provider', 'namespace', 'status'];
  const rows = Object.entries(lab.nodes).map(([name, node]) => [
    name,
    node.device,
    node.mgmt,
    node.connection,
    node.provider,
    node.provider_name,
    node.status,
  ]);
  return [
    `Lab ${instance} in ${lab.dir}`,
    `  status:      ${lab.status}`,
    `  topology:    ${lab.topology}`,
    `  provider(s): ${lab.providers.join(', ')}`,
    '',
    table(head, rows),
  ].join('\n');
}
