import { Checkbox, NativeSelect, Stack, TagsInput, Text, Textarea, TextInput, Code } from '@mantine/core';
import { Fragment } from 'react';
import { durationText } from '../../../parts/duration-text.ts';
import type { Field } from './fields.ts';
import { secondsOf, type Value } from './values.ts';

/** A sentence of the service: text between backticks is code. */
function Prose({ text }: { readonly text: string }) {
  return text
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? (
        <Code key={`${index} ${part}`}>{part}</Code>
      ) : (
        <Fragment key={`${index} ${part}`}>{part}</Fragment>
      ),
    );
}

/** Values of the API, in words. */
const choiceWords: Readonly<Record<string, string>> = {
  keep: 'leave the lab as it is',
  down: 'take the lab down',
  queue: 'wait',
  reject: 'do not start',
};

interface Props {
  readonly field: Field;
  readonly value: Value;
  readonly error: string | undefined;
  readonly onChange: (value: Value) => void;
}

/** Aligns neighbouring controls, whatever the length of their help. */
const order = ['label', 'input', 'error', 'description'] as ('label' | 'input' | 'error' | 'description')[];

const textOf = (value: Value): string => (typeof value === 'string' ? value : '');

/** A word such as `auto`, a number, or nothing: the user chooses first, and then types the number. */
function NumberField({ field, value, error, onChange }: Props) {
  if (field.control.kind !== 'number') return null;
  const { words, minimum, maximum } = field.control;
  const text = textOf(value);
  const isWord = words.includes(text);
  const isNumber = value !== undefined && !isWord;
  const range = [minimum ?? '…', maximum ?? '…'].join(' to ');
  const input = (
    <TextInput
      aria-label={words.length > 0 ? `${field.label}: the number` : undefined}
      label={words.length > 0 ? undefined : field.label}
      inputMode="numeric"
      placeholder={minimum === undefined && maximum === undefined ? '' : range}
      value={isWord ? '' : text}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      w={160}
    />
  );
  if (words.length === 0) return input;
  return (
    <Stack gap={6}>
      <NativeSelect
        label={field.label}
        description={<Prose text={field.help} />}
        inputWrapperOrder={order}
        value={isNumber ? 'number' : text}
        // The field of the number shows the error, if there is one.
        error={isNumber ? undefined : error}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(chosen === 'number' ? '' : chosen || undefined);
        }}
        data={[
          { value: '', label: 'from the topology' },
          ...words.map((word) => ({ value: word, label: word === 'auto' ? 'auto: any free number' : word })),
          { value: 'number', label: `a number, ${range}` },
        ]}
      />
      {isNumber && input}
    </Stack>
  );
}

function DurationField({ field, value, error, onChange }: Props) {
  const text = textOf(value);
  const seconds = text === '' ? undefined : secondsOf(text);
  const meant = seconds === undefined ? text : durationText(seconds * 1000);
  return (
    <TextInput
      label={field.label}
      description={<Prose text={field.help.replace(', in seconds', '')} />}
      inputWrapperOrder={order}
      placeholder={field.hint ?? 'such as 2 h, 90 min, 1 d 12 h'}
      value={text}
      error={error}
      rightSection={meant === text ? null : <Text size="xs">= {meant}</Text>}
      rightSectionWidth={meant === text ? 0 : 110}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The control for one request field, with the help and the limits of the service. */
export function OptionField(props: Props) {
  const { field, value, error, onChange } = props;
  const { control, label } = field;
  const common = { label, description: <Prose text={field.help} />, error };
  switch (control.kind) {
    case 'number':
      return <NumberField {...props} />;
    case 'duration':
      return <DurationField {...props} />;
    case 'switch':
      return (
        <Checkbox
          {...common}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          {...common}
          inputWrapperOrder={order}
          value={textOf(value)}
          data={[
            { value: '', label: 'default' },
            ...control.choices.map((choice) => ({ value: choice, label: choiceWords[choice] ?? choice })),
          ]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'list':
      return (
        <TagsInput
          {...common}
          inputWrapperOrder={order}
          placeholder="press Enter after each"
          value={typeof value === 'object' ? [...value] : []}
          onChange={onChange}
        />
      );
    case 'pairs':
      return (
        <Textarea
          {...common}
          inputWrapperOrder={order}
          placeholder="one name=value per line"
          autosize
          minRows={1}
          maxRows={8}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'text':
      return (
        <TextInput
          {...common}
          inputWrapperOrder={order}
          maxLength={control.maxLength}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
