/** The buttons that open the dialog of shares; nothing for users who may not share the thing. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconUserShare } from '@tabler/icons-react';
import { Suspense, useState, type ReactNode } from 'react';
import type { Lab, Share, Snapshot, Workspace } from '../../../../../src/client/api-types.ts';
import { labText } from '../lab-title.ts';
import { late } from '../late.ts';
import { WorkspaceLink } from '../links.tsx';
import { useMayShareLab, useMayShareSnapshot, useMayShareWorkspace, type SharedThing } from './use-shares.ts';

const ShareDialog = late(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

interface Props extends ButtonProps {
  readonly thing: SharedThing;
  readonly title: string;
  /** Absent in replies of hosts with an earlier version. */
  readonly shares: readonly Share[] | undefined;
  readonly words: ReactNode;
}

function ShareButton({ thing, title, shares = [], words, ...look }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconUserShare size={16} aria-hidden />}
        onClick={() => setOpen(true)}
        {...look}
      >
        Share
      </Button>
      {isOpen && (
        <Suspense>
          <ShareDialog thing={thing} title={title} shares={shares} onClose={() => setOpen(false)}>
            {words}
          </ShareDialog>
        </Suspense>
      )}
    </>
  );
}

export function ShareLab({ lab }: { readonly lab: Lab }) {
  if (!useMayShareLab(lab)) return null;
  return (
    <ShareButton
      size="xs"
      thing={{ kind: 'lab', id: lab.id }}
      title={`Share ${labText(lab)}`}
      shares={lab.shares}
      words={
        <>
          The lab with its nodes, until it is taken down. Its files and jobs are not shared
          {lab.workspace === null ? (
            '.'
          ) : (
            <>
              : for these, share the workspace <WorkspaceLink id={lab.workspace} underline="always" />.
            </>
          )}
        </>
      }
    />
  );
}

export function ShareWorkspace({ workspace }: { readonly workspace: Workspace }) {
  if (!useMayShareWorkspace(workspace)) return null;
  return (
    <ShareButton
      thing={{ kind: 'workspace', id: workspace.name }}
      title={`Share ${workspace.name}`}
      shares={workspace.shares}
      words="The workspace with its files, its jobs and its lab. As operator, a user also starts labs in it."
    />
  );
}

export function ShareSnapshot({ snapshot }: { readonly snapshot: Snapshot }) {
  if (!useMayShareSnapshot(snapshot)) return null;
  const { name, host, shares } = snapshot;
  return (
    <ShareButton
      thing={{ kind: 'snapshot', id: name, host }}
      title={`Share ${name}`}
      shares={shares}
      words="The snapshot with all that is in it, passwords too. Operators download it, compare with it and start it in workspaces of their own; viewers see that it is there."
    />
  );
}
