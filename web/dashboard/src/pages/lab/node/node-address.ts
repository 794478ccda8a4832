import { useSearch } from 'wouter';

/** Gives the address of a node of this lab, for links; what else the address bar says stays. */
export function useNodeAddress(lab: string): (node: string, tab: string) => string {
  const search = useSearch();
  return (node, tab) => {
    const parameters = new URLSearchParams(search);
    parameters.set('node', node);
    parameters.set('tab', tab);
    return `/labs/${encodeURIComponent(lab)}?${parameters}`;
  };
}
