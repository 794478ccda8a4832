import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Paper,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { startText, type StartSource } from '../../../parts/start-link.ts';
import { useAddress } from '../../../parts/use-address.ts';
import { obstaclesOf, templateItem } from './choose-source.tsx';
import { FilePreview, TypedPreview } from './preview.tsx';
import type { PickItem } from './pick-list.tsx';
import type { FoundTopology } from './use-topology.ts';
import { LabLink, WorkspaceLink } from '../../../parts/links.tsx';

interface Props {
  readonly source: StartSource;
  readonly found: FoundTopology;
  /** The typed topology, or its URL. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
  /** The fields of a Git repository. */
  readonly gitField: ReactNode;
}

/** A topology that runs on a server with Linux nodes only. */
export const firstTopology = `defaults.device: linux
nodes: [ h1, h2 ]
links: [ h1-h2 ]
`;

function Obstacles({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title="This server cannot run it"
      role="alert"
    >
      {sentences.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Alert>
  );
}

/** Chooses one of the topology files of a workspace. */
function WorkspaceFile({ source, found }: Props) {
  const { change } = useAddress();
  if (source.kind !== 'workspace' || found.files.length < 2) return null;
  return (
    <NativeSelect
      label="Topology file"
      value={found.chosen?.path ?? ''}
      onChange={(event) =>
        change({ start: startText({ ...source, file: event.currentTarget.value || undefined }) })
      }
      data={[
        ...(found.chosen ? [] : [{ value: '', label: 'choose a file' }]),
        ...found.files.map((file) => ({
          value: file.path,
          label: obstaclesOf(file).length > 0 ? `${file.path} (cannot run here)` : file.path,
        })),
      ]}
    />
  );
}

/** Leads back to the choice. */
function Change({ onChange }: { readonly onChange: () => void }) {
  return (
    <Button variant="subtle" size="compact-sm" onClick={onChange}>
      Change
    </Button>
  );
}

interface ChosenCardProps {
  readonly title: string;
  /** Undefined while it is loaded, or unknown. */
  readonly item: PickItem | undefined;
  readonly isPending: boolean;
  readonly onChange: () => void;
}

/** A source that was chosen from a list. */
export function ChosenCard({ title, item, isPending, onChange }: ChosenCardProps) {
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" align="start" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Text>
          {isPending ? (
            <Skeleton h={14} w={180} mt={6} />
          ) : (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {[item?.detail, ...(item?.facts ?? [])].filter((part) => part !== title).join(' · ')}
            </Text>
          )}
          {item?.about !== undefined && <Text size="sm">{item.about}</Text>}
        </div>
        <Change onChange={onChange} />
      </Group>
    </Paper>
  );
}

function useChangeSource(): () => void {
  const { change } = useAddress();
  return () => change({ start: '' }, true);
}

/** A start in the directory of a running lab starts that lab again. */
export function RunningLab({ id }: { readonly id: string }) {
  return (
    <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} role="status">
      Lab <LabLink id={id} /> runs in this workspace: a new start loses all changes in its nodes.
    </Alert>
  );
}

function Chosen(props: Props) {
  const { source, found } = props;
  const onChange = useChangeSource();
  const item = found.chosen && templateItem(found.chosen);
  const title =
    source.kind === 'workspace'
      ? `Workspace ${source.name}`
      : (item?.title ?? (source.kind === 'template' ? source.path : ''));
  return (
    <Stack gap="sm">
      <ChosenCard title={title} item={item} isPending={found.isPending} onChange={onChange} />
      {typeof found.workspace?.lab === 'string' && <RunningLab id={found.workspace.lab} />}
      <WorkspaceFile {...props} />
      {source.kind === 'workspace' && found.chosen?.valid === true && (
        <FilePreview key={found.chosen.path} workspace={source.name} path={found.chosen.path} />
      )}
      {found.error && <ProblemNotice error={found.error} title="The topology cannot be read" />}
      {found.missing !== undefined && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
          {found.missing}{' '}
          {found.workspace && <WorkspaceLink id={found.workspace.name}>Open its files</WorkspaceLink>}
        </Alert>
      )}
      {found.keptBy !== undefined && (
        <Text size="sm">
          The last lab of this workspace is started again, with its number and its options, from the files
          that {found.keptBy} has kept.
        </Text>
      )}
      {found.keptBy === undefined && found.chosen && obstaclesOf(found.chosen).length > 0 && (
        <Obstacles sentences={obstaclesOf(found.chosen)} />
      )}
      {props.error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {props.error}
        </Text>
      )}
    </Stack>
  );
}

const mostErrors = 3;

/** The mistakes in a typed topology, as the editor of workspaces finds them; its warnings are left out. */
function useMistakes(text: string): readonly string[] {
  const [checked] = useDebouncedValue(text, 300);
  const [mistakes, setMistakes] = useState<readonly string[]>([]);
  useEffect(() => {
    let isOld = false;
    const look = async (): Promise<void> => {
      const { check } = await import('../../../parts/topology/yaml-check.ts');
      const { problems } = check('topology.yml', checked, []);
      const errors = problems.filter(({ severity }) => severity === 'error');
      if (!isOld)
        setMistakes(errors.slice(0, mostErrors).map(({ line, message }) => `Line ${line}: ${message}`));
    };
    // Without the code of the check, the job finds the mistakes.
    look().catch(() => undefined);
    return () => {
      isOld = true;
    };
  }, [checked]);
  return mistakes;
}

function Typed({ text, onText, error }: Props) {
  const mistakes = useMistakes(text);
  return (
    <Textarea
      label="Topology"
      description="YAML"
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      error={error ?? (mistakes.length > 0 && mistakes.join('\n'))}
      autosize
      minRows={6}
      maxRows={16}
      spellCheck={false}
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
        error: { whiteSpace: 'pre-line' },
      }}
      required
      data-autofocus
    />
  );
}

function FromUrl({ text, onText, error }: Props) {
  return (
    <TextInput
      label="URL of the topology"
      description="The server fetches it, by http or https"
      placeholder="https://"
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      error={error}
      required
      data-autofocus
    />
  );
}

/** The source of the lab: chosen, or typed here. */
export function SourceField(props: Props) {
  const onChange = useChangeSource();
  const { kind } = props.source;
  if (kind !== 'text' && kind !== 'url' && kind !== 'git') return <Chosen {...props} />;
  return (
    <div>
      <Group justify="end">
        <Change onChange={onChange} />
      </Group>
      {kind === 'text' && (
        <Stack gap="sm">
          <Typed {...props} />
          <TypedPreview text={props.text} />
        </Stack>
      )}
      {kind === 'url' && <FromUrl {...props} />}
      {kind === 'git' && props.gitField}
    </div>
  );
}
