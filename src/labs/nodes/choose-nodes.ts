/** Nodes of a lab by names, patterns and groups, for a command in many of them. */
import { invalidField } from '../../lib/app-error.ts';
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import { isInRange } from '../../lib/text/name-ranges.ts';
import { listOf } from './lab-node.ts';

/** The nodes of each group of a topology. */
export type NodeGroups = ReadonlyMap<string, ReadonlySet<string>>;

interface Choice {
  /** The nodes of the lab, in its order. */
  readonly names: readonly string[];
  /** Asked only when a word is neither a name nor a pattern. */
  readonly groups: () => Promise<NodeGroups>;
}

const groupPrefix = 'group:';

/** Whether a pattern with `*` and `?` matches. Not as a regular expression: some patterns would take one years. */
function matches(pattern: string, name: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let index = 0; index < name.length;) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      from = index;
    } else if (pattern[at] === '?' || pattern[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      from += 1;
      index = from;
      at = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

/** @throws AppError `invalid-request` that names the word and the nodes of the lab. */
async function chosenBy(word: string, at: number, { names, groups }: Choice): Promise<readonly string[]> {
  const refuse = (why: string, hint = ''): never => {
    const has = `the lab has ${names.length > 0 ? listOf(names) : 'no nodes'}`;
    throw invalidField(`nodes.${at}`, `${why}; ${has}${hint}`);
  };
  if (names.includes(word)) return [word];
  if (word === 'all') return names.length > 0 ? names : refuse('no node to choose');
  if (/[*?[]/.test(word)) {
    const found = names.filter((name) => isInRange(word, name) ?? matches(word, name));
    if (found.length > 0) return found;
    const hint = word.includes('[') ? '. A range such as r[1-3] stands at the end' : '';
    return refuse(`no node matches "${word}"`, hint);
  }
  const known = await groups();
  const isGroup = word.startsWith(groupPrefix);
  const group = isGroup ? word.slice(groupPrefix.length) : word;
  const found = names.filter((name) => known.get(group)?.has(name));
  if (found.length > 0) return found;
  if (known.has(group)) return refuse(`no node of the group "${group}" is there`);
  const kind = isGroup ? 'group' : 'node or group';
  const ofGroups = known.size > 0 ? `, and the groups ${listOf([...known.keys()])}` : ', and no groups';
  const meant = didYouMean(group, isGroup ? known.keys() : [...names, ...known.keys()]);
  return refuse(`no ${kind} is called "${group}"`, `${ofGroups}${meant}`);
}

/**
 * The nodes that the words choose, each once, in the order of the lab. A word is the name of a node, `all`, a pattern with `*`
 * and `?`, a range (`r[1-3,5]`), or a group, which `group:` tells from a node of the same name.
 * @throws AppError `invalid-request` about a word that chooses none.
 */
export async function chooseNodes(words: readonly string[], choice: Choice): Promise<readonly string[]> {
  const chosen = new Set<string>();
  for (const [at, word] of words.entries())
    for (const name of await chosenBy(word, at, choice)) chosen.add(name);
  return choice.names.filter((name) => chosen.has(name));
}
