/**
 * Names of network namespaces: `lab-<instance>-<node>`. An instance has no hyphen, so no two labs share a prefix. The
 * name of a node has no dot, so no node has the name of the namespace of the bridges. The nodes of a container lab (see
 * `runtime/`) have the names that containerlab gives their containers.
 */

const instanceFormat = /^\w{1,32}$/;
/** The format of netlab. Names come from files and go into commands that run as root, so the format is strict. */
const nodeFormat = /^[A-Za-z_][\w-]{0,31}$/;

/** The instance of a container lab. The dot sets it apart from the instances of the engine's own labs. */
const containerLabFormat = /^clab\.[A-Za-z0-9][\w-]{0,62}$/;
/** As Docker's names of containers, except for dots. */
const containerFormat = /^[A-Za-z0-9][\w-]{1,126}$/;

export function isContainerLab(instance: string): boolean {
  return containerLabFormat.test(instance);
}

export function isContainerName(text: string): boolean {
  return containerFormat.test(text);
}

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

/** The prefix of the names of all namespaces of a lab. */
export function namespacePrefix(instance: string): string {
  return `lab-${checked(isInstance(instance) || isContainerLab(instance), instance)}-`;
}

/** Whether a namespace of this lab may have that name. */
export function mayBeOfLab(instance: string, name: string): boolean {
  return name.startsWith(namespacePrefix(instance)) || (isContainerLab(instance) && isContainerName(name));
}

/** The namespace of a node. */
export function nodeNamespace(instance: string, node: string): string {
  return `${namespacePrefix(instance)}${checked(isNodeName(node), node)}`;
}

/** The namespace that holds the bridges of links with three and more ends, and the far ends of stubs. */
export function switchNamespace(instance: string): string {
  return `${namespacePrefix(instance)}.switch`;
}
