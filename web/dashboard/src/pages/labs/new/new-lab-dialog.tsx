import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useService } from '../../../api/queries.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { useAddress } from '../../../parts/use-address.ts';
import { Templates, templateItem } from '../start/choose-source.tsx';
import { GitField } from '../start/git-field.tsx';
import { ChosenCard } from '../start/source-field.tsx';
import { useAttention } from '../start/use-attention.ts';
import { useTopology } from '../start/use-topology.ts';
import { ShapeCards, type Beginning } from './shape-cards.tsx';
import { beginningOf, closed, useNewLab } from './use-new-lab.ts';
import classes from '../labs.module.css';

type Form = ReturnType<typeof useNewLab>;

/** How the nodes of a new topology are made, by lab CLI. */
const nodeWords: Readonly<Record<string, string>> = {
  engine: 'Routers and hosts are Linux, and each reaches all others.',
  netlab: 'Routers are FRR and speak OSPF, hosts are Linux.',
  containerlab: 'Routers are containers of FRR, hosts of Alpine Linux; they have no addresses yet.',
};

function ShapeFields({
  form: { shape, planText },
  cli,
}: {
  readonly form: Form;
  readonly cli: string | undefined;
}) {
  return (
    <Stack gap="sm">
      {shape.fields.length > 0 && (
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="md" verticalSpacing="sm">
          {shape.fields.map(({ name, label, text, error, least, onText }) => (
            <TextInput
              key={name}
              label={label}
              type="number"
              min={least}
              value={text}
              error={error}
              onChange={(event) => onText(event.currentTarget.value)}
            />
          ))}
        </SimpleGrid>
      )}
      <div role="status">
        {planText !== undefined && <Text fw={600}>{planText}</Text>}
        <Text size="sm" c="dimmed">
          {nodeWords[cli ?? ''] ?? nodeWords['netlab']}
        </Text>
      </div>
    </Stack>
  );
}

function ChosenTemplate({ path }: { readonly path: string }) {
  const { change } = useAddress();
  const { chosen, isPending } = useTopology({ kind: 'template', path });
  return (
    <div>
      <ChosenCard
        title={chosen?.title ?? path}
        item={chosen && templateItem(chosen)}
        isPending={isPending}
        onChange={() => change({ template: undefined }, true)}
      />
      <Text size="sm" c="dimmed" mt="xs">
        It is copied with the files in its directory and below; the template itself stays as it is.
      </Text>
    </div>
  );
}

interface NewLabFormProps {
  readonly beginning: Beginning;
  /** The path of the chosen one. */
  readonly template: string | undefined;
}

/** The choice, its place, and the button. */
function NewLabForm({ beginning, template }: NewLabFormProps) {
  const clis = useService().data?.labClis ?? [];
  const [picked, setPicked] = useState<string>();
  const cli = picked ?? clis[0]?.name;
  const form = useNewLab({ beginning, cli, template });
  const isShape = beginning !== 'git' && template === undefined;
  // The name of the template says which lab CLI it is for.
  const asksForCli = clis.length > 1 && template === undefined;
  const element = useRef<HTMLFormElement>(null);
  const notice = useRef<HTMLDivElement>(null);
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The list, which had the focus, is gone.
    if (template !== undefined) nameField.current?.focus();
  }, [template]);
  useAttention(form.failure, element, notice);
  return (
    <form
      ref={element}
      aria-label="New lab"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <Stack>
        {beginning === 'git' && (
          <GitField git={form.git} onChange={form.setGit} errors={form.errors} isPending={form.isPending} />
        )}
        {template !== undefined && <ChosenTemplate path={template} />}
        {isShape && <ShapeFields form={form} cli={cli} />}
        <SimpleGrid cols={{ base: 1, sm: asksForCli ? 2 : 1 }} spacing="md" verticalSpacing="sm">
          <TextInput
            label="Workspace"
            description="A new directory on the server for the files of the lab"
            autoComplete="off"
            spellCheck={false}
            value={form.name.text}
            error={form.name.error}
            onChange={(event) => form.name.onText(event.currentTarget.value)}
            ref={nameField}
          />
          {asksForCli && (
            <NativeSelect
              label="Lab CLI"
              description="The program that runs the lab"
              value={cli}
              data={clis.map(({ name }) => name)}
              onChange={(event) => setPicked(event.currentTarget.value)}
            />
          )}
        </SimpleGrid>
        {form.error && (
          <div ref={notice}>
            <ProblemNotice error={form.error} title="The lab is not made" />
          </div>
        )}
        <Group justify="space-between" wrap="nowrap" className={classes['submit'] ?? ''}>
          <Text size="sm" c="dimmed">
            It opens in the editor; nothing is started yet.
          </Text>
          <Button
            type="submit"
            leftSection={<IconPlus size={16} aria-hidden />}
            loading={form.isPending}
            style={{ flexShrink: 0 }}
          >
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Content({ beginning }: { readonly beginning: Beginning }) {
  const { get, change } = useAddress();
  const [dir, path] = [get('dir'), get('template')];
  const template = beginning === 'template' ? path : undefined;
  return (
    <Stack>
      <ShapeCards chosen={beginning} onChoose={(name) => change({ ...closed, dir, new: name })} />
      {beginning === 'template' && template === undefined ? (
        <Templates onPick={(chosen) => change({ template: chosen }, true)} />
      ) : (
        <NewLabForm beginning={beginning} template={template} />
      )}
    </Stack>
  );
}

/**
 * Makes the topology of a lab in a new workspace. `text` says how it begins, in the address, so that others can link to it; undefined
 * while the dialog is closed.
 */
export function NewLabDialog({ text }: { readonly text: string | undefined }) {
  const { change } = useAddress();
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  return (
    <Dialog
      opened={text !== undefined}
      onClose={() => change(closed)}
      title="New lab"
      size={760}
      transitionProps={{ duration: 0 }}
      fullScreen={isNarrow}
    >
      <Content beginning={beginningOf(text ?? '')} />
    </Dialog>
  );
}
