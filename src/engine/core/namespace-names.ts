/**
 * Names of network namespaces: `lab-<instance>-<node>`. An instance has no hyphen, so that no name of one lab begins
 * like those of another. A node's name has no dot, so that no node is called like the namespace of the bridges.
 */

const instanceFormat = /^\w{1,32}$/;
/** As netlab's. Names come from files and go into commands that run as root: nothing else may pass. */
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

/** What the names of all namespaces of this lab begin with. */
export function namespacePrefix(instance: string): string {
  return `lab-${checked(isInstance(instance), instance)}-`;
}

/** The namespace that a node is. */
export function nodeNamespace(instance: string, node: string): string {
  return `${namespacePrefix(instance)}${checked(isNodeName(node), node)}`;
}

/** The namespace that holds the bridges of links with three and more ends, and the far ends of stubs. */
export function switchNamespace(instance: string): string {
  return `${namespacePrefix(instance)}.switch`;
}
