/** The order of the table of labs. It is in the address: `sort=owner`, or `sort=-owner` for the other way round. */
import type { Lab } from '../../../../../src/client/api-types.ts';
import { labTitle } from '../../parts/lab-title.ts';
import type { Row } from './lab-rows.ts';

const collator = new Intl.Collator('en', { numeric: true });
/** Labs without an end come after all others. */
const never = '9999';

const values: Readonly<Record<string, (lab: Lab) => string>> = {
  state: (lab) => lab.state,
  lab: (lab) => labTitle(lab),
  nodes: (lab) => String(lab.nodes.length),
  provider: (lab) => lab.provider ?? '',
  directory: (lab) => lab.workspace ?? lab.workdir ?? '',
  owner: (lab) => lab.owner ?? '',
  started: (lab) => lab.startedAt ?? '',
  'time left': (lab) => lab.expiresAt ?? never,
};

export interface LabOrder {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Undefined for the order of `rowsOf`. */
export function orderOf(sort: string | undefined): LabOrder | undefined {
  const [, minus, column = ''] = /^(-?)(.+)$/.exec(sort ?? '') ?? [];
  return Object.hasOwn(values, column) ? { column, isDescending: minus === '-' } : undefined;
}

/** Labs that are about to start stay first. */
export function ordered(rows: readonly Row[], order: LabOrder | undefined): readonly Row[] {
  const value = order && values[order.column];
  if (!order || !value) return rows;
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    if (a.kind === 'coming' || b.kind === 'coming')
      return Number(b.kind === 'coming') - Number(a.kind === 'coming');
    return sign * collator.compare(value(a.lab), value(b.lab));
  });
}
