import { Button, Group, MultiSelect, NativeSelect, Stack, Text } from '@mantine/core';
import type { Drawing, Edit, Keys, Span } from '../../../parts/drawing/drawing.ts';
import { modules } from '../../../parts/topology/topology-words.ts';
import type { DeviceChoice } from './device-choices.ts';
import { cleared, modulesOf, smallestChange } from './field-values.ts';
import type { FormField, Language } from './form-fields.ts';
import { clearButton, Described, fieldLook, LinesField, TextField } from './text-field.tsx';
import { lines, word, type TextForm } from './text-forms.ts';
import type { Selection } from './selection.ts';
import { useRefusal } from './use-draft.ts';

/** The drawing for a form, and what forms do with it. */
export interface FormProps {
  readonly drawing: Drawing;
  readonly language: Language;
  readonly devices: readonly DeviceChoice[];
  readonly isReadOnly: boolean;
  /** Whether the drawing is older than the text, which cannot be read: its places in the text are wrong. */
  readonly isStale: boolean;
  /** Returns the reason of a refusal. */
  readonly onEdit: (edit: Edit) => string | undefined;
  readonly onSelect: (selected: Selection) => void;
  /** Puts the cursor of the text editor there. */
  readonly onShowText: (span: Span) => void;
}

interface FieldProps {
  readonly field: FormField;
  /** The thing that has the value. */
  readonly owner: string;
  readonly value: unknown;
  /** Shown without a value, in place of the placeholder of the field. */
  readonly placeholder?: string | undefined;
  readonly devices: readonly DeviceChoice[];
  /** Returns the reason of a refusal. */
  readonly onCommit: (keys: Keys, value: unknown) => string | undefined;
  readonly onShowText: () => void;
}

/** A button that leads to the place in the text editor. */
function EditInText({ about, onClick }: { readonly about: string; readonly onClick: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      style={{ flexShrink: 0 }}
      aria-label={`Edit in the text: ${about}`}
      onClick={onClick}
    >
      Edit in the text
    </Button>
  );
}

/** The attributes that a form does not show. */
export function OtherAttributes({
  about,
  keys,
  onShowText,
}: {
  readonly about: string;
  readonly keys: readonly string[];
  readonly onShowText: () => void;
}) {
  if (keys.length === 0) return null;
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="start">
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        Other attributes: {keys.join(', ')}
      </Text>
      <EditInText about={`other attributes of ${about}`} onClick={onShowText} />
    </Group>
  );
}

/** A value that fits into no field, such as a map. */
function TextOnly({ field: { label }, value, onShowText }: FieldProps) {
  return (
    <Stack gap={2}>
      <Text size="xs" fw={500}>
        {label}
      </Text>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {JSON.stringify(value)}
        </Text>
        <EditInText about={label} onClick={onShowText} />
      </Group>
    </Stack>
  );
}

/** The empty choice removes the value. */
function ChoiceField(props: FieldProps & { readonly choices: readonly string[] }) {
  const { field, owner, value, placeholder = 'default', onCommit, choices } = props;
  const { problem, note } = useRefusal(owner);
  const text = word.textOf(value);
  if (text === undefined) return <TextOnly {...props} />;
  const isOther = text !== '' && !choices.includes(text);
  return (
    <NativeSelect
      {...fieldLook}
      label={field.label}
      value={text}
      error={problem}
      data={[{ value: '', label: placeholder }, ...(isOther ? [text] : []), ...choices]}
      onChange={({ currentTarget }) => note(onCommit(field.keys, currentTarget.value || undefined))}
    />
  );
}

function ModulesField(props: FieldProps) {
  const { field, owner, value, onCommit } = props;
  const { problem, note } = useRefusal(owner);
  const own = modulesOf({ module: value });
  if (own === undefined) return <TextOnly {...props} />;
  return (
    <MultiSelect
      {...fieldLook}
      label={field.label}
      placeholder={own.length === 0 ? 'as the topology' : ''}
      searchable
      openOnFocus={false}
      clearable
      clearButtonProps={clearButton(field.label)}
      data={[...new Set([...Object.keys(modules), ...own])]}
      renderOption={({ option }) => <Described value={option.value} description={modules[option.value]} />}
      value={[...own]}
      error={problem}
      onChange={(chosen) => note(onCommit(field.keys, chosen.length === 0 ? undefined : chosen))}
    />
  );
}

function TypedField(props: FieldProps & { readonly form: TextForm }) {
  const { field, form, owner, value, devices, onCommit } = props;
  const { label, keys, help, control } = field;
  const text = form.textOf(value);
  if (text === undefined) return <TextOnly {...props} />;
  const commit = (typed: string): string | undefined => {
    const parsed = typed === '' ? cleared(field, value) : form.read(typed, value);
    // Other sentences begin with the text in quotes.
    if (parsed.kind === 'problem')
      return parsed.message.startsWith('"') ? parsed.message : `${label} ${parsed.message}`;
    const change = smallestChange(keys, value, parsed.value);
    return onCommit(change.keys, change.value);
  };
  const common = {
    label,
    owner,
    text,
    placeholder: props.placeholder ?? field.placeholder,
    help,
    onCommit: commit,
  };
  if (control.kind === 'lines') return <LinesField {...common} />;
  const words = control.kind === 'text' ? control.words : undefined;
  const suggestions =
    control.kind === 'device'
      ? devices.map(({ name, description }) => ({ value: name, description }))
      : words?.map((one) => ({ value: one }));
  return <TextField {...common} suggestions={suggestions} />;
}

/** The control of one field. Each change is an edit of its own, once it is complete. */
export function FormControl(props: FieldProps) {
  const { control } = props.field;
  switch (control.kind) {
    case 'choice':
      return <ChoiceField {...props} choices={control.choices} />;
    case 'modules':
      return <ModulesField {...props} />;
    case 'lines':
      return <TypedField {...props} form={lines} />;
    case 'device':
      return <TypedField {...props} form={word} />;
    case 'text':
      return <TypedField {...props} form={control.form} />;
  }
}
