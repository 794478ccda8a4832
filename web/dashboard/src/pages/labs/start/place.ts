/** The place of a lab that is not started from a workspace. */
import type { StartSource } from '../../../parts/start-link.ts';

export interface Place {
  readonly kind: 'workspace' | 'beside' | 'directory';
  /** The name of the workspace, or the directory. */
  readonly text: string;
}

/** The name of a topology: the file name, or the directory for a file called `topology.yml`. */
function nameOf(path: string): string {
  const [file = '', directory = ''] = path.split('/').toReversed();
  const name = file.replace(/\.ya?ml$/i, '');
  return name === 'topology' ? directory : name;
}

/** A new workspace name that describes its content; `random` is from 0 to 1. `named` is the name of a typed source. */
export function freshWorkspace(source: StartSource, random: number, named = ''): string {
  const name = source.kind === 'template' ? nameOf(source.path) : named;
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 40);
  const end = Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${slug === '' ? 'lab' : slug}-${end}`;
}

/** The file of a topology: `topology.yml`, `topology-2.yml`, …; containerlab asks for names of its own. */
export function topologyName(cli: string | undefined, nth: number, name = 'topology'): string {
  return `${name}${nth === 1 ? '' : `-${nth}`}${cli === 'containerlab' ? '.clab' : ''}.yml`;
}

/** The fields of the request. `beside` is the directory of the template. */
export function placeRequest(
  { kind, text }: Place,
  beside: string | undefined,
): Readonly<Record<string, string>> {
  if (kind === 'workspace') return { workspace: text.trim() };
  return { workdir: kind === 'beside' ? (beside ?? '') : text.trim() };
}

/** The errors of a place. The service would take an empty place as "not given" and use a directory of its own. */
export function wrongPlace({ kind, text }: Place): ReadonlyMap<string, string> {
  if (kind === 'beside' || text.trim() !== '') return new Map();
  return kind === 'workspace'
    ? new Map([['workspace', 'a name is needed']])
    : new Map([['workdir', 'a directory on the server is needed']]);
}
