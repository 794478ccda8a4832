import { Breadcrumbs, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconFileZip, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Workspace } from '../../../../../src/client/api-types.ts';
import { useLabs, useMayOperate } from '../../api/queries.ts';
import { labPath } from '../../api/service.ts';
import { startLink } from '../../parts/start-link.ts';
import { ShareWorkspace } from '../../parts/shares/share-buttons.tsx';
import { sharesText } from '../../parts/shares-text.ts';
import { sourceText } from '../../parts/source-text.ts';
import { sizeText } from '../../parts/size-text.ts';
import { Age, TimeLeft } from '../../parts/time.tsx';
import { DownloadItems } from './download-items.tsx';
import { isYaml } from './paths.ts';
import { useView } from './use-view.ts';
import { expiryOf, LabIn } from './workspace-table.tsx';
import { JobLink } from '../../parts/links.tsx';
import { MenuEntry, MoreMenu } from '../../parts/menu.tsx';

interface Props {
  readonly workspace: Workspace;
  /** The open file: a lab can be started from it if it is a topology. */
  readonly file: string | undefined;
  readonly onReplace: () => void;
  readonly onRemove: () => void;
}

/** Breadcrumbs do not wrap their items, and drop the styles of these. */
function Long({ children }: { readonly children: ReactNode }) {
  return (
    <span>
      <span style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{children}</span>
    </span>
  );
}

/** Size, owner, lab and jobs of the workspace. */
function Facts({ workspace }: Pick<Props, 'workspace'>) {
  const { files, size, modifiedAt, lastUsedAt, owner, job, lab } = workspace;
  const expiresAt = expiryOf(workspace);
  const labs = useLabs().data;
  const shares = sharesText(workspace);
  const source = sourceText(workspace);
  const facts = [
    <span key="files">
      {files.toLocaleString('en')} {files === 1 ? 'file' : 'files'}, {sizeText(size)}
    </span>,
    <span key="changed">
      changed <Age at={modifiedAt} />
    </span>,
    expiresAt !== null && (
      <span key="used">
        used <Age at={lastUsedAt} />
      </span>
    ),
    expiresAt !== null && (
      <span key="expiry">
        removed if unused: <TimeLeft until={expiresAt} />
      </span>
    ),
    owner !== null && <span key="owner">of {owner}</span>,
    shares !== undefined && <Long key="shares">{shares}</Long>,
    source !== undefined && <Long key="source">from {source}</Long>,
    lab !== null && (
      <span key="lab">
        lab <LabIn id={lab} labs={labs} />
      </span>
    ),
    job !== null && (
      <JobLink key="job" id={job}>
        a job is running
      </JobLink>
    ),
  ].filter((fact) => fact !== false);
  return (
    <Text component="div" size="sm" c="dimmed" className="numbers">
      <Breadcrumbs separator="·" separatorMargin={6} style={{ flexWrap: 'wrap' }}>
        {facts}
      </Breadcrumbs>
    </Text>
  );
}

interface MenuProps extends Omit<Props, 'file'> {
  /** The address of the dialog that starts a lab; undefined if a button leads to it, or a lab runs. */
  readonly start: string | undefined;
}

function HeaderMenu({ workspace, start, onReplace, onRemove }: MenuProps) {
  const mayOperate = useMayOperate();
  return (
    <MoreMenu label={`Actions of ${workspace.name}`} variant="default" size={36}>
      <DownloadItems name={workspace.name} />
      {mayOperate && (
        <>
          {start !== undefined && (
            <MenuEntry Icon={IconPlayerPlay} to={start}>
              Start a lab with options…
            </MenuEntry>
          )}
          <MenuEntry Icon={IconFileZip} onClick={onReplace}>
            Replace all files with an archive…
          </MenuEntry>
          <MenuEntry Icon={IconTrash} isDangerous onClick={onRemove}>
            Remove the workspace…
          </MenuEntry>
        </>
      )}
    </MoreMenu>
  );
}

export function WorkspaceHeader({ workspace, file, onReplace, onRemove }: Props) {
  const mayOperate = useMayOperate();
  const [view] = useView();
  const { name, lab } = workspace;
  const yaml = file !== undefined && isYaml(file) ? file : undefined;
  const start = lab === null ? startLink({ kind: 'workspace', name, file: yaml }) : undefined;
  // The drawing has its own button for a start.
  const isInMenu = yaml !== undefined && view !== 'text';
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2}>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Title>
        <Facts workspace={workspace} />
      </Stack>
      <Group gap="xs">
        <ShareWorkspace workspace={workspace} />
        {lab !== null && (
          <Button component={Link} href={labPath(lab)} variant="default">
            Open the lab
          </Button>
        )}
        {start !== undefined && !isInMenu && mayOperate && (
          <Button component={Link} href={start} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
            Start a lab from here
          </Button>
        )}
        <HeaderMenu
          workspace={workspace}
          start={isInMenu ? start : undefined}
          onReplace={onReplace}
          onRemove={onRemove}
        />
      </Group>
    </Group>
  );
}
