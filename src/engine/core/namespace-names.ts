/**
 * Names of network namespaces: `lab-<instance>-<node>`. An instance has no hyphen, so no two labs share a prefix. The
 * name of a node has no dot, so no node has the name of the namespace of the bridges.
 */

const instanceFormat = /^\w{1,32}$/;
/** The format of netlab. Names come from files and go into commands that run as root, so the format is strict. */
const nodeFormat = /^[A-Za-z_][\w-]{0,31}$/;

export function isInstance(text: string): boolean {
  return instanceFormat.test(text);
}

export function isNodeName(text: string): boolean {
  return nodeFormat.test(text);
}

function checked(isRight: boolean, name: string): string {
  if (!isRight) throw new Error(`not a name that may go into a command: ${JSON.stringify(name)}`);
  return name;
}

/** The prefix of the names of all namespaces of this lab. */
export function namespacePrefix(instance: string): string {
  return `lab-${checked(isInstance(instance), instance)}-`;
}

/** The namespace of a node. */
export function nodeNamespace(instance: string, node: string): string {
  return `${namespacePrefix(instance)}${checked(isNodeName(node), node)}`;
}

/** The namespace that holds the bridges of links with three and more ends, and the far ends of stubs. */
export function switchNamespace(instance: string): string {
  return `${namespacePrefix(instance)}.switch`;
}
