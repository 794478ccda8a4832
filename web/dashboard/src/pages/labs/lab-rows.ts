/** The rows of the list of labs: existing labs, and labs that are about to start. */
import { labIdOf } from '../../api/lab-id.ts';
import { hasWords } from '../../parts/has-words.ts';
import type { Job, Lab, LabState, StoppedLab } from '../../../../../src/client/api-types.ts';

interface LabRow {
  readonly kind: 'lab';
  readonly key: string;
  readonly lab: Lab;
  /** The newest loaded job of the lab; undefined when it has to be fetched, or there is none. */
  readonly lastJob: Job | undefined;
}

/** A queued or running `up` whose lab does not exist yet. */
interface ComingRow {
  readonly kind: 'coming';
  readonly key: string;
  readonly job: Job;
}

export type Row = LabRow | ComingRow;

const isOf = (job: Job, lab: Lab): boolean =>
  labIdOf(job) === lab.id && (lab.workdir === null || job.workdir === lab.workdir);

const byId = new Intl.Collator('en', { numeric: true });

/** First the coming labs, newest first; then the labs by ID, in numeric order. `recent` are jobs, newest first. */
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

/** The filter of the rows; an empty or undefined part matches all rows. */
export interface LabFilter {
  readonly text: string;
  readonly state: LabState | 'stopped' | undefined;
  /** Only labs of this owner. */
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
  return hasWords(wordsOf(row), text);
}

export function matchesStopped(lab: StoppedLab, { text, state, owner }: LabFilter): boolean {
  const { instance, workdir, workspace } = lab;
  const isWanted =
    (state === undefined || state === 'stopped') && (owner === undefined || owner === lab.owner);
  return isWanted && hasWords(['stopped', instance, workdir, workspace, lab.owner], text);
}

/** The title of a lab that does not exist yet. */
export function comingTitle({ instance, workspace, workdir }: Job): string {
  return instance ?? workspace ?? workdir.split('/').at(-1) ?? workdir;
}
