import { ActionIcon, Anchor, Menu, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconDots, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Lab, Workspace } from '../../../../../src/client/api-types.ts';
import { useLabs, useMayOperate } from '../../api/queries.ts';
import { labPath } from '../../api/service.ts';
import { labTitle } from '../../parts/lab-title.ts';
import { sizeText } from '../../parts/size-text.ts';
import { startLink } from '../../parts/start-link.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age } from '../../parts/time.tsx';
import { DownloadItems } from './download-items.tsx';
import { pageOf } from './paths.ts';
import classes from './workspaces.module.css';

interface Props {
  readonly workspaces: readonly Workspace[];
  readonly onRemove: (workspace: Workspace) => void;
}

function Actions({ workspace, onRemove }: { workspace: Workspace; onRemove: Props['onRemove'] }) {
  const mayOperate = useMayOperate();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions of ${workspace.name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayOperate && workspace.lab === null && (
          <Menu.Item
            component={Link}
            href={startLink({ kind: 'workspace', name: workspace.name })}
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
          >
            Start a lab from here
          </Menu.Item>
        )}
        <DownloadItems name={workspace.name} />
        {mayOperate && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onRemove(workspace)}
          >
            Remove…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The lab that lives in a workspace, with its state where that is known. */
export function LabIn({ id, labs }: { readonly id: string; readonly labs: readonly Lab[] | undefined }) {
  const lab = labs?.find((one) => one.id === id);
  return (
    <span className={classes['lab']}>
      <Anchor component={Link} href={labPath(id)} inherit>
        {lab ? labTitle(lab) : id}
      </Anchor>
      {lab && <StateBadge state={lab.state} />}
    </span>
  );
}

export function WorkspaceTable({ workspaces, onRemove }: Props) {
  const labs = useLabs().data;
  const hasOwners = workspaces.some(({ owner }) => owner !== null);
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing="xs" highlightOnHover className={classes['table']}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Lab</Table.Th>
            <Table.Th ta="right">Files</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th className={classes['extra']}>Changed</Table.Th>
            {hasOwners && <Table.Th className={classes['extra']}>Owner</Table.Th>}
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workspaces.map((workspace) => (
            <Table.Tr key={workspace.name}>
              <Table.Td>
                <Anchor
                  component={Link}
                  href={pageOf(workspace.name)}
                  inherit
                  fw={500}
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {workspace.name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                {workspace.lab !== null && <LabIn id={workspace.lab} labs={labs} />}
                {workspace.lab === null && workspace.job !== null && (
                  <Anchor component={Link} href={`/jobs/${workspace.job}`} inherit>
                    job under way
                  </Anchor>
                )}
                {workspace.lab === null && workspace.job === null && (
                  <Text inherit c="dimmed" component="span" aria-label="none">
                    –
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right">{workspace.files.toLocaleString('en')}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {sizeText(workspace.size)}
              </Table.Td>
              <Table.Td className={classes['extra']}>
                <Age at={workspace.modifiedAt} />
              </Table.Td>
              {hasOwners && <Table.Td className={classes['extra']}>{workspace.owner ?? '–'}</Table.Td>}
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
