/** The filters in the address; names and values are those of `GET /audit`. */

const names = ['user', 'lab', 'action', 'refused', 'since', 'until', 'host'] as const;

export type AuditFilter = { readonly [name in (typeof names)[number]]?: string | undefined };

export function filterOf(query: URLSearchParams): AuditFilter {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** The query of the address, and of a request. */
export function queryOf(filter: AuditFilter): URLSearchParams {
  const given = names.flatMap((name) => {
    const value = filter[name];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given);
}
