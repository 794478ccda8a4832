import { Table, Text, VisuallyHidden } from '@mantine/core';
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { Lab, Workspace } from '../../../../../src/client/api-types.ts';
import { useLabs, useMayOperate } from '../../api/queries.ts';
import { labTitle } from '../../parts/lab-title.ts';
import { JobLink, LabLink, WorkspaceLink } from '../../parts/links.tsx';
import { MoreMenu, MenuEntry } from '../../parts/menu.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { startLink } from '../../parts/start-link.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age, TimeLeft } from '../../parts/time.tsx';
import { DownloadItems } from './download-items.tsx';
import quiet from '../../parts/quiet-table.module.css';
import classes from './workspaces.module.css';

interface Props {
  readonly workspaces: readonly Workspace[];
  readonly onRemove: (workspace: Workspace) => void;
}

function Actions({ workspace, onRemove }: { workspace: Workspace; onRemove: Props['onRemove'] }) {
  const mayOperate = useMayOperate();
  return (
    <MoreMenu label={`Actions of ${workspace.name}`}>
      {mayOperate && workspace.lab === null && (
        <MenuEntry Icon={IconPlayerPlay} to={startLink({ kind: 'workspace', name: workspace.name })}>
          Start a lab from here
        </MenuEntry>
      )}
      <DownloadItems name={workspace.name} />
      {mayOperate && (
        <MenuEntry Icon={IconTrash} isDangerous onClick={() => onRemove(workspace)}>
          Remove…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

/** The lab of a workspace, with its state if known. */
export function LabIn({ id, labs }: { readonly id: string; readonly labs: readonly Lab[] | undefined }) {
  const lab = labs?.find((one) => one.id === id);
  return (
    <span className={classes['lab']}>
      <LabLink id={id} style={{ overflowWrap: 'anywhere' }}>
        {lab ? labTitle(lab) : id}
      </LabLink>
      {lab && <StateBadge state={lab.state} />}
    </span>
  );
}

/** When it goes unless it is used; hosts of a cluster that are older than this page keep all workspaces. */
export const expiryOf = ({ expiresAt = null }: Partial<Workspace>): string | null => expiresAt;

export function WorkspaceTable({ workspaces, onRemove }: Props) {
  const labs = useLabs().data;
  const mayExpire = workspaces.some((workspace) => expiryOf(workspace) !== null);
  const hasOwners = workspaces.some(({ owner }) => owner !== null);
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing="xs" highlightOnHover className={quiet['table'] ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Lab</Table.Th>
            <Table.Th ta="right" visibleFrom="xs">
              Files
            </Table.Th>
            <Table.Th ta="right" visibleFrom="xs">
              Size
            </Table.Th>
            <Table.Th visibleFrom="xs">Changed</Table.Th>
            {mayExpire && <Table.Th visibleFrom="sm">Kept, if unused</Table.Th>}
            {hasOwners && <Table.Th visibleFrom="xs">Owner</Table.Th>}
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workspaces.map((workspace) => (
            <Table.Tr key={workspace.name}>
              <Table.Td>
                <WorkspaceLink id={workspace.name} fw={500} style={{ overflowWrap: 'anywhere' }} />
              </Table.Td>
              <Table.Td>
                {workspace.lab !== null && <LabIn id={workspace.lab} labs={labs} />}
                {workspace.lab === null && workspace.job !== null && (
                  <JobLink id={workspace.job}>a job is running</JobLink>
                )}
                {workspace.lab === null && workspace.job === null && (
                  <Text inherit c="dimmed" component="span" aria-label="none">
                    –
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="xs">
                {workspace.files.toLocaleString('en')}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                {sizeText(workspace.size)}
              </Table.Td>
              <Table.Td visibleFrom="xs">
                <Age at={workspace.modifiedAt} />
              </Table.Td>
              {mayExpire && (
                <Table.Td visibleFrom="sm">
                  <TimeLeft until={expiryOf(workspace)} />
                </Table.Td>
              )}
              {hasOwners && <Table.Td visibleFrom="xs">{workspace.owner ?? '–'}</Table.Td>}
              <Table.Td ta="right">
                <Actions workspace={workspace} onRemove={onRemove} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
