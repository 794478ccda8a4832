import type { Lab, TopologyLink } from '../../../../src/client/api-types.ts';

type Named = Pick<Lab, 'id' | 'name' | 'workspace' | 'workdir'>;

/**
 * The name of a lab for users. netlab names labs with a multilab ID `ml-7`, which says nothing: then the workspace, the directory or
 * the ID is used.
 */
export function labTitle({ id, name, workspace, workdir }: Named): string {
  if (name !== null && name !== `ml-${id}`) return name;
  return workspace ?? workdir?.split('/').findLast((part) => part !== '') ?? id;
}

/** The title, and the ID if it differs. */
export function labNames(lab: Named): { title: string; id: string | undefined } {
  const title = labTitle(lab);
  return { title, id: title === lab.id ? undefined : lab.id };
}

/** Both in one string, for sentences. */
export function labText(lab: Named): string {
  const { title, id } = labNames(lab);
  return id === undefined ? title : `${title} (${id})`;
}

/** The provider of its nodes: `clab`, or `clab in namespaces` without Docker. An older service reports no runtime. */
export function providerText({ provider, runtime }: Pick<Lab, 'provider' | 'runtime'>): string | null {
  return runtime === 'namespaces' ? `${provider ?? 'nodes'} in namespaces` : provider;
}

/** `Link r1 eth1 – r2 eth1` */
export const linkTitle = ({ endpoints }: Pick<TopologyLink, 'endpoints'>): string =>
  `Link ${endpoints.map(({ node, interface: name }) => `${node} ${name}`).join(' – ')}`;
