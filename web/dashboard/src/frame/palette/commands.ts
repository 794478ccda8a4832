/** The entries of the search dialog. */
import type { Job, Lab, Workspace } from '../../../../../src/client/api-types.ts';
import { labText } from '../../parts/lab-title.ts';
import type { Place } from '../../parts/places.ts';

export type Group = 'Go to' | 'Actions' | 'Labs' | 'Nodes' | 'Jobs' | 'Workspaces';

export interface Command {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  /** Shown dimmed behind the label: the state, or the lab. */
  readonly detail?: string;
  /** Further words to search by. */
  readonly also?: string;
  /** A path of the page, or an action. */
  readonly does: string | (() => void);
}

export interface Known {
  readonly labs: readonly Lab[];
  readonly jobs: readonly Pick<Job, 'id' | 'action' | 'state' | 'instance'>[];
  readonly workspaces: readonly Pick<Workspace, 'name'>[];
}

/** The format of job IDs in `GET /jobs`. */
const jobId = /^job-[\w-]+$/;

const labPathOf = (id: string): string => `/labs/${encodeURIComponent(id)}`;

/** Entries for the things that the page has loaded. */
export function commandsOf({ labs, jobs, workspaces }: Known): Command[] {
  return [
    ...labs.map((lab): Command => ({
      id: `lab ${lab.id}`,
      group: 'Labs',
      label: labText(lab),
      detail: lab.state,
      also: lab.name ?? '',
      does: labPathOf(lab.id),
    })),
    ...labs.flatMap((lab) =>
      lab.nodes.map((node): Command => ({
        id: `node ${lab.id} ${node.name}`,
        group: 'Nodes',
        label: node.name,
        detail: `in ${labText(lab)}, ${node.state}`,
        also: labText(lab),
        does: `${labPathOf(lab.id)}?node=${encodeURIComponent(node.name)}`,
      })),
    ),
    ...jobs.map(({ id, action, state, instance }): Command => ({
      id: `job ${id}`,
      group: 'Jobs',
      label: id,
      detail: [action, instance, state].filter((word) => word !== null).join(' · '),
      does: `/jobs/${id}`,
    })),
    ...workspaces.map(({ name }): Command => ({
      id: `workspace ${name}`,
      group: 'Workspaces',
      label: name,
      does: `/workspaces/${encodeURIComponent(name)}`,
    })),
  ];
}

export function pageCommands(places: readonly Place[]): Command[] {
  return places.map(({ href, label, key }) => ({
    id: `page ${href}`,
    group: 'Go to',
    label,
    detail: `g ${key}`,
    does: href,
  }));
}

/** An entry for a typed job ID that the page has not loaded; none for the beginning of a known ID. */
export function typedJob(query: string, known: readonly Command[]): Command[] {
  const id = query.trim();
  if (!jobId.test(id) || known.some((command) => command.id.startsWith(`job ${id}`))) return [];
  return [{ id: `job ${id}`, group: 'Jobs', label: id, detail: 'open this job', does: `/jobs/${id}` }];
}

/** An entry that searches the labs for a typed address, prefix, AS, module or device: the page has none of them. */
export function typedSearch(query: string): Command[] {
  const text = query.trim();
  if (!/^[\da-f.:]*[.:][\da-f.:]*(\/\d+)?$|^(as|module|device):./i.test(text)) return [];
  const does = `/?${new URLSearchParams({ q: text }).toString()}`;
  return [{ id: `search ${text}`, group: 'Labs', label: text, detail: 'search in all labs', does }];
}
