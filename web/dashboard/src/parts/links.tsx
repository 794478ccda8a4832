/** Links to the pages of single things. */
import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Snapshot } from '../../../../src/client/api-types.ts';
import { labPath } from '../api/service.ts';

interface LinkProps extends AnchorProps {
  readonly id: string;
  /** The ID, unless other content is given. */
  readonly children?: ReactNode;
  readonly title?: string;
  readonly 'aria-label'?: string;
}

export function JobLink({ id, children = id, ...rest }: LinkProps) {
  return (
    <Anchor component={Link} href={`/jobs/${id}`} inherit {...rest}>
      {children}
    </Anchor>
  );
}

/** The page of a lab has the same path as the lab in the API. */
export function LabLink({ id, children = id, ...rest }: LinkProps) {
  return (
    <Anchor component={Link} href={labPath(id)} inherit {...rest}>
      {children}
    </Anchor>
  );
}

export function WorkspaceLink({ id, children = id, ...rest }: LinkProps) {
  return (
    <Anchor component={Link} href={`/workspaces/${encodeURIComponent(id)}`} inherit {...rest}>
      {children}
    </Anchor>
  );
}

/** Each host of a cluster has snapshots of its own. */
export function SnapshotLink({
  snapshot: { name, host },
  ...rest
}: AnchorProps & { readonly snapshot: Snapshot }) {
  const query = host === null ? '' : `?host=${encodeURIComponent(host)}`;
  return (
    <Anchor component={Link} href={`/snapshots/${encodeURIComponent(name)}${query}`} inherit {...rest}>
      {name}
    </Anchor>
  );
}
