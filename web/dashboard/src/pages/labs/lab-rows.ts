/** What the list of labs shows: the labs that are there, and those that are on their way. */
import { labIdOf } from '../../api/lab-id.ts';
import type { Job, Lab, LabState } from '../../../../../src/client/api-types.ts';

interface LabRow {
  readonly kind: 'lab';
  readonly key: string;
  readonly lab: Lab;
  /** The newest job of the lab that is known here; undefined when it has to be asked for, or there is none. */
  readonly lastJob: Job | undefined;
}

/** An `up` that waits or runs, and whose lab is not there yet. */
interface ComingRow {
  readonly kind: 'coming';
  readonly key: string;
  readonly job: Job;
}

export type Row = LabRow | ComingRow;

const isOf = (job: Job, lab: Lab): boolean =>
  labIdOf(job) === lab.id && (lab.workdir === null || job.workdir === lab.workdir);

const byId = new Intl.Collator('en', { numeric: true });

/** What is coming first, newest first; then the labs by their ids, in which numbers count. `recent` are jobs, newest first. */
export function rowsOf(labs: readonly Lab[], coming: readonly Job[], recent: readonly Job[]): Row[] {
  const isThere = (job: Job): boolean => labs.some((lab) => isOf(job, lab));
  return [
    ...coming.filter((job) => !isThere(job)).map((job): ComingRow => ({ kind: 'coming', key: job.id, job })),
    ...labs
      .toSorted((a, b) => byId.compare(a.id, b.id))
      .map((lab): LabRow => ({
        kind: 'lab',
        key: `lab ${lab.id}`,
        lab,
        lastJob: recent.find((job) => isOf(job, lab) || lab.jobs.includes(job.id)),
      })),
  ];
}

/** Which rows are looked for; what is empty or undefined lets all pass. */
export interface LabFilter {
  readonly text: string;
  readonly state: LabState | undefined;
  /** The name of whose labs alone are shown. */
  readonly owner: string | undefined;
}

export const stateOf = (row: Row): LabState => (row.kind === 'lab' ? row.lab.state : 'starting');

function wordsOf(row: Row): readonly (string | null)[] {
  if (row.kind === 'coming') {
    const { id, instance, workdir, workspace, requestedBy, labels } = row.job;
    return [
      id,
      instance,
      workdir,
      workspace,
      requestedBy,
      ...Object.entries(labels).map((pair) => pair.join('=')),
    ];
  }
  const { id, name, workdir, workspace, owner, provider, nodes } = row.lab;
  return [id, name, workdir, workspace, owner, provider, ...nodes.map((node) => node.name)];
}

export function matches(row: Row, { text, state, owner }: LabFilter): boolean {
  if (state !== undefined && stateOf(row) !== state) return false;
  const whose = row.kind === 'lab' ? row.lab.owner : row.job.requestedBy;
  if (owner !== undefined && whose !== owner) return false;
  const all = wordsOf(row).join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** What a lab that is coming is called until it is there. */
export function comingTitle({ instance, workspace, workdir }: Job): string {
  return instance ?? workspace ?? workdir.split('/').at(-1) ?? workdir;
}
