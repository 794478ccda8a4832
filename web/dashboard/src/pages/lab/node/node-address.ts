import { useSearch } from 'wouter';

/** Returns the address of a node of this lab, with the other parameters of the current address. */
export function useNodeAddress(lab: string): (node: string, tab: string) => string {
  const search = useSearch();
  return (node, tab) => {
    const parameters = new URLSearchParams(search);
    parameters.set('node', node);
    parameters.set('tab', tab);
    return `/labs/${encodeURIComponent(lab)}?${parameters}`;
  };
}
