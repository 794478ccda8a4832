/** The address of the dialog that starts a lab; the source is in the address. */

/** The source of a lab. */
export type StartSource =
  /** Not chosen yet. */
  | { readonly kind: 'choose' }
  /** A topology file on the lab server; `path` is absolute. */
  | { readonly kind: 'template'; readonly path: string }
  /** A workspace; `file` is a topology file in it. Without it, the dialog asks for one. */
  | { readonly kind: 'workspace'; readonly name: string; readonly file?: string | undefined }
  /** A typed or pasted topology. */
  | { readonly kind: 'text' }
  /** A topology that the service fetches. */
  | { readonly kind: 'url' }
  /** A directory of a Git repository. */
  | { readonly kind: 'git' };

/** The value of `start` in the address. */
export function startText(source: StartSource): string {
  switch (source.kind) {
    case 'template':
      return `template:${source.path}`;
    case 'workspace':
      return `workspace:${source.name}${source.file === undefined ? '' : `/${source.file}`}`;
    case 'choose':
      return '';
    case 'text':
    case 'url':
    case 'git':
      return source.kind;
  }
}

/** Reads `start` in the address; unknown text means "not chosen yet". */
export function sourceOf(text: string): StartSource {
  const [, kind, rest = ''] = /^(template|workspace):(.+)$/s.exec(text) ?? [];
  if (kind === 'template') return { kind, path: rest };
  if (kind === 'workspace') {
    const [, name = rest, file] = /^([^/]+)\/(.+)$/s.exec(rest) ?? [];
    return { kind, name, file };
  }
  return text === 'text' || text === 'url' || text === 'git' ? { kind: text } : { kind: 'choose' };
}

/** The link that opens the dialog: `startLink({kind: 'workspace', name: 'tuesday'})`. */
export function startLink(source: StartSource): string {
  return `/?${new URLSearchParams({ start: startText(source) }).toString()}`;
}
