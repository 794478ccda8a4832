/** The dialogs that collect the configurations of a lab, and configure its devices. They stay until the job has ended. */
import { Autocomplete, Code, Group, Loader, Stack, TagsInput, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Job, JobRequest, Lab } from '../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import { progress } from '../../api/live.ts';
import { useJob } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { Artifacts } from '../artifacts.tsx';
import { JobOutcome } from '../job-outcome.tsx';
import { labText } from '../lab-title.ts';
import { JobLink } from '../links.tsx';
import { Question } from '../question.tsx';
import { StateBadge } from '../state-badge.tsx';
import { useLabJob } from './use-lab-actions.ts';
import { useTemplates } from './use-templates.ts';

export type ConfigurationAction = 'collect' | 'initial' | 'config';

/** The progress of the job, and its outcome. */
function JobNews({ started, hasFiles }: { readonly started: Job; readonly hasFiles: boolean }) {
  const { data: job = started } = useJob(started.id);
  const message = useStore(progress).get(job.id) ?? job.progress?.message;
  const isOver = hasEnded(job.state);
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap" role="status">
        {!isOver && <Loader size={16} aria-hidden />}
        <JobLink id={job.id} inherit={false} size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
          Job and log
        </JobLink>
        <StateBadge state={job.state} />
        <Text size="sm" c="dimmed" truncate>
          {!isOver && message}
        </Text>
      </Group>
      <JobOutcome job={job} />
      {isOver ? (
        hasFiles && <Artifacts job={job} />
      ) : (
        <Text size="sm" c="dimmed">
          The job continues when this is closed.
        </Text>
      )}
    </Stack>
  );
}

interface FormProps {
  readonly lab: Lab;
  readonly title: string;
  readonly yes: string;
  readonly request: () => JobRequest;
  readonly isDisabled?: boolean;
  /** Whether the job leaves files for the user. */
  readonly hasFiles?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function JobQuestion({ lab, request, hasFiles = false, children, ...rest }: FormProps) {
  const job = useLabJob(lab);
  return (
    <Question
      {...rest}
      size="lg"
      isForm
      isBusy={job.isPending}
      error={job.error}
      errorTitle="The job does not start"
      {...(job.data && { done: <JobNews started={job.data} hasFiles={hasFiles} /> })}
      onYes={() => job.mutate(request())}
    >
      {children}
    </Question>
  );
}

interface Props {
  readonly lab: Lab;
  readonly onClose: () => void;
}

/**
 * A new directory each time: netlab empties the directory that it collects into, and the artifacts of a job are the files that no
 * later job has changed. `collected-20261129-031457123`, in UTC.
 */
const newDirectory = (): string =>
  `collected-${new Date()
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .replace('T', '-')}`;

function CollectDialog({ lab, onClose }: Props) {
  const [directory] = useState(newDirectory);
  return (
    <JobQuestion
      lab={lab}
      title={`Collect the configurations of ${labText(lab)}?`}
      yes="Collect"
      request={() => ({ action: 'collect', collectOutput: directory })}
      hasFiles
      onClose={onClose}
    >
      <Text size="sm">
        A job reads the configurations of all nodes and writes them into the new directory{' '}
        <Code>{directory}</Code> of the lab, where they stay. Then you can download them here.
      </Text>
    </JobQuestion>
  );
}

function NodesField({
  lab,
  value,
  onChange,
}: {
  readonly lab: Lab;
  readonly value: string[];
  readonly onChange: (nodes: string[]) => void;
}) {
  return (
    <TagsInput
      label="Nodes"
      description="Names, groups, and patterns such as r*. Empty: all nodes."
      placeholder={value.length === 0 ? 'all nodes' : ''}
      data={lab.nodes.map(({ name }) => name)}
      limit={50}
      splitChars={[' ', ',']}
      clearable
      value={value}
      onChange={onChange}
    />
  );
}

const limitOf = (nodes: readonly string[]) => (nodes.length === 0 ? {} : { limit: nodes.join(',') });

function InitialDialog({ lab, onClose }: Props) {
  const [nodes, setNodes] = useState<string[]>([]);
  return (
    <JobQuestion
      lab={lab}
      title={`Configure ${labText(lab)} again?`}
      yes="Configure again"
      request={() => ({ action: 'initial', ...limitOf(nodes) })}
      onClose={onClose}
    >
      <Text size="sm">
        The devices get the configuration of the topology once more, as at the start of the lab. It may
        overwrite changes that were made by hand.
      </Text>
      <NodesField lab={lab} value={nodes} onChange={setNodes} />
    </JobQuestion>
  );
}

function TemplateDialog({ lab, onClose }: Props) {
  const [nodes, setNodes] = useState<string[]>([]);
  const [template, setTemplate] = useState('');
  const templates = useTemplates(lab);
  return (
    <JobQuestion
      lab={lab}
      title={`Deploy a template to ${labText(lab)}`}
      yes="Deploy"
      isDisabled={template.trim() === ''}
      request={() => ({ action: 'config', template: template.trim(), ...limitOf(nodes) })}
      onClose={onClose}
    >
      <Autocomplete
        label="Template"
        description="A .j2 file or a directory of templates, by its path from the directory of the lab; or a name that the lab CLI finds."
        data={[...templates]}
        limit={50}
        value={template}
        onChange={setTemplate}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
      />
      <NodesField lab={lab} value={nodes} onChange={setNodes} />
    </JobQuestion>
  );
}

const dialogs = { collect: CollectDialog, initial: InitialDialog, config: TemplateDialog } as const;

/** It is mounted only while it is open, so that it starts fresh each time. */
export function ConfigurationDialog({ action, ...props }: Props & { readonly action: ConfigurationAction }) {
  const Dialog = dialogs[action];
  return <Dialog {...props} />;
}
