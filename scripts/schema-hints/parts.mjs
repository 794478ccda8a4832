/** Descriptions of places in a topology, as the editor of the page reads them. */

/**
 * The value of a key: its keys, the value of `each` key that users choose, `key`: the possible names of such keys, the
 * `item` of a list, its possible `values`, and `names`: the paths in the same file whose keys are possible values. Text is the
 * name of another part, or of a type that has no description, such as int.
 * @typedef {string | PartMap} Part
 */
/**
 * @typedef {{ keys?: Parts, each?: Part, key?: Part, item?: Part, values?: readonly string[], names?: readonly string[] }} PartMap
 */
/** @typedef {{ [name: string]: Part }} Parts */

/** A part with the keys and the values of all these. @param {readonly Part[]} parts @returns {PartMap} */
export function union(parts) {
  const maps = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
  const values = [...new Set(maps.flatMap((part) => part.values ?? []))];
  /** @type {Parts} */
  const keys = {};
  for (const [key, part] of maps.flatMap((map) => Object.entries(map.keys ?? {}))) {
    const first = keys[key];
    if (typeof first === 'object' && typeof part === 'object') keys[key] = union([first, part]);
    else if (typeof first !== 'object') keys[key] = part;
  }
  return {
    ...Object.assign({}, ...maps),
    ...(Object.keys(keys).length > 0 && { keys }),
    ...(values.length > 0 && { values }),
  };
}

/** The names in a part. @param {Part} part @returns {string[]} */
function namesIn(part) {
  if (typeof part === 'string') return [part];
  const { keys = {}, each = '', key = '', item = '' } = part;
  return [...Object.values(keys), each, key, item].flatMap(namesIn);
}

/** The parts that `root` needs, in the order of their names. @param {Parts} parts @param {string} root */
export function reachable(parts, root) {
  const found = new Set([root]);
  for (const name of found)
    for (const next of namesIn(parts[name] ?? '')) if (Object.hasOwn(parts, next)) found.add(next);
  return Object.fromEntries([...found].toSorted().map((name) => [name, parts[name] ?? '']));
}
