import {
  Button,
  Collapse,
  Divider,
  Group,
  NativeSelect,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { useDescription, useService } from '../../../api/queries.ts';
import { useStore } from '../../../api/store.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { useQuestionBeforeClosing } from '../../../parts/leaving.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Question } from '../../../parts/question.tsx';
import { sourceOf, type StartSource } from '../../../parts/start-link.ts';
import { typedTopology } from '../../../parts/typed-topology.ts';
import { useAddress } from '../../../parts/use-address.ts';
import { ChooseSource } from './choose-source.tsx';
import { fieldsOf, withLimits, type Field } from './fields.ts';
import { GitField } from './git-field.tsx';
import { OptionField } from './option-field.tsx';
import { PlaceField } from './place-field.tsx';
import { SourceField } from './source-field.tsx';
import { useAttention } from './use-attention.ts';
import { useStart } from './use-start.ts';
import { besideOf, useTopology } from './use-topology.ts';
import classes from '../labs.module.css';

/** The options that a lab has in its snapshot. */
const keptOptions = ['multilabId', 'device', 'provider', 'plugin', 'set', 'snapshot'];

interface OptionsProps {
  readonly fields: readonly Field[];
  readonly form: ReturnType<typeof useStart>;
}

function Options({ fields, form }: OptionsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      {fields.map((field) => (
        <OptionField
          key={field.name}
          field={field}
          value={form.values[field.name]}
          error={form.errors.at.get(field.name)}
          onChange={(value) => form.setValue(field.name, value)}
        />
      ))}
    </SimpleGrid>
  );
}

function MoreOptions({ fields, form }: OptionsProps) {
  const [isOpen, setOpen] = useState(false);
  const isWrong = fields.some(({ name }) => form.errors.at.has(name));
  const isShown = isOpen || isWrong;
  const Icon = isShown ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<Icon size={16} aria-hidden />}
        aria-expanded={isShown}
        onClick={() => setOpen(!isShown)}
        mb="xs"
      >
        More options
      </Button>
      <Collapse expanded={isShown} keepMounted={false}>
        <Options fields={fields} form={form} />
      </Collapse>
    </div>
  );
}

/** Source, place and options of the lab. The options and their help come from the service. */
function StartForm({ source }: { readonly source: StartSource }) {
  const description = useDescription();
  const { data: service } = useService();
  const found = useTopology(source);
  const [picked, setPicked] = useState<string>();
  const clis = service?.labClis ?? [];
  const { chosen, keptBy } = found;
  const cli = picked ?? keptBy ?? chosen?.cli ?? clis[0]?.name;
  const others = clis.find(({ name }) => name === cli)?.otherOptions['up'];
  const { usual, more } = useMemo(() => {
    const unknown = [...(others ?? []), ...(keptBy === undefined ? [] : keptOptions)];
    return fieldsOf(description.data ?? {}, 'up', unknown);
  }, [description.data, others, keptBy]);
  const isChoice = clis.length > 1;
  const form = useStart(source, [...usual, ...more], { found, cli, isChoice });
  const element = useRef<HTMLFormElement>(null);
  const notice = useRef<HTMLDivElement>(null);
  const { error, errors, failure } = form;
  useAttention(failure, element, notice);
  return (
    <form
      ref={element}
      aria-label="Options of the lab"
      tabIndex={-1}
      style={{ outline: 'none' }}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <Stack>
        <SourceField
          source={source}
          found={form.found}
          text={form.text}
          onText={form.setText}
          error={errors.source}
          gitField={
            <GitField git={form.git} onChange={form.setGit} errors={errors.at} isPending={form.isPending} />
          }
        />
        {isChoice && (
          <NativeSelect
            label="Lab CLI"
            description="The program that runs the lab. It determines the options."
            value={cli}
            data={clis.map(({ name }) => name)}
            onChange={(event) => setPicked(event.currentTarget.value)}
          />
        )}
        {source.kind !== 'workspace' && (
          <PlaceField
            place={form.place}
            fresh={form.fresh}
            beside={besideOf(source)}
            onChange={form.setPlace}
            error={errors.place}
            isOfGit={source.kind === 'git'}
          />
        )}
        <Divider />
        {description.isPending ? (
          <Skeleton h={240} role="status" aria-label="Loading the options" />
        ) : description.isError ? (
          <ProblemNotice
            error={description.error}
            title="The options cannot be shown"
            onRetry={() => void description.refetch()}
          />
        ) : (
          <>
            <Options fields={usual.map((field) => withLimits(field, service?.leases))} form={form} />
            <MoreOptions fields={more} form={form} />
          </>
        )}
        {error && !errors.isAllPlaced && (
          <div ref={notice}>
            <ProblemNotice error={error} title="The lab is not being started" />
          </div>
        )}
        <Group justify="flex-end" className={classes['submit'] ?? ''}>
          <Button
            type="submit"
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            // Without the options, the request would not have their first values.
            disabled={!form.mayStart || description.isPending}
            loading={form.isPending}
          >
            Start the lab
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Starts a lab: first the source, then the options. `text` is the source in the address, so that the user can go back and others can
 * link to it; undefined while the dialog is closed.
 */
export function StartDialog({ text }: { readonly text: string | undefined }) {
  const { change } = useAddress();
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const source = sourceOf(text ?? '');
  const isTyped = useStore(typedTopology) !== undefined && text !== undefined && source.kind === 'text';
  const [isAsked, setAsked] = useState(false);
  // The user may also go back in the history.
  if (isAsked && !isTyped) setAsked(false);
  useQuestionBeforeClosing(isTyped);
  const close = (): void => change({ start: undefined, from: undefined, dir: undefined });
  const discard = (): void => {
    typedTopology.set(undefined);
    close();
  };
  return (
    <>
      <Dialog
        opened={text !== undefined}
        onClose={() => (isTyped ? setAsked(true) : close())}
        title="Start a lab"
        closeOnEscape={!isAsked}
        size={760}
        // A user who types on at once means its first field.
        transitionProps={{ duration: 0 }}
        fullScreen={isNarrow}
      >
        {source.kind === 'choose' ? <ChooseSource /> : <StartForm key={text} source={source} />}
      </Dialog>
      {isAsked && (
        <Question
          title="Discard the topology?"
          no="Keep editing"
          yes="Discard"
          isDangerous
          focus="no"
          onClose={() => setAsked(false)}
          onYes={discard}
        >
          <Text size="sm">It is not saved anywhere.</Text>
        </Question>
      )}
    </>
  );
}
