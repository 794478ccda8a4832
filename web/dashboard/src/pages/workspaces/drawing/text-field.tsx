/** Fields for texts. Each change is an edit of its own, once the text is complete. */
import {
  Autocomplete,
  Text,
  Textarea,
  TextInput,
  type ComboboxItem,
  type OptionsFilter,
} from '@mantine/core';
import { useRef, useState } from 'react';
import { useDraft } from './use-draft.ts';

export interface Suggestion {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface TextFieldProps {
  readonly label: string;
  /** The thing that has the value: a new one shows nothing that was typed for another. */
  readonly owner: string;
  readonly text: string;
  readonly placeholder?: string | undefined;
  readonly help?: string | undefined;
  /** Offered, besides other texts. */
  readonly suggestions?: readonly Suggestion[] | undefined;
  /** Returns the reason of a refusal. */
  readonly onCommit: (text: string) => string | undefined;
}

/** Labels stand above; errors below, where screen readers read them at once. */
export const fieldLook = {
  size: 'xs',
  autoComplete: 'off',
  spellCheck: false,
  inputWrapperOrder: ['label', 'input', 'error', 'description'] as (
    'label' | 'input' | 'error' | 'description'
  )[],
  errorProps: { role: 'alert' },
} as const;

/** Without a mouse, an empty text does the same. */
export const clearButton = (label: string) =>
  ({ 'aria-label': `Clear ${label}`, 'aria-hidden': false }) as const;

/** The reason why a button did nothing. */
export function Refusal({ problem }: { readonly problem: string | undefined }) {
  return problem === undefined ? null : (
    <Text size="xs" c="var(--mantine-color-error)" role="alert">
      {problem}
    </Text>
  );
}

/** The name of an option with its description. */
export function Described({ value, description }: Suggestion) {
  return (
    <div>
      <Text size="xs">{value}</Text>
      {description !== undefined && (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      )}
    </div>
  );
}

/** All suggestions until something is typed; then those that contain it. */
const filterFor =
  (suggestions: readonly Suggestion[], isTyped: boolean): OptionsFilter =>
  ({ options, search }) => {
    if (!isTyped) return options;
    const wanted = search.trim().toLowerCase();
    const fits = ({ value, description = '' }: Suggestion): boolean =>
      `${value} ${description}`.toLowerCase().includes(wanted);
    const fitting = new Set(suggestions.filter(fits).map(({ value }) => value));
    return options.filter((option) => fitting.has((option as ComboboxItem).value));
  };

function SuggestField({ suggestions = [], ...props }: TextFieldProps) {
  const { label, owner, text, placeholder, help, onCommit } = props;
  const [isOpen, setOpen] = useState(false);
  const draft = useDraft(owner, text, onCommit, () => setOpen(false));
  // Mantine reports a chosen suggestion as chosen first, and then as typed.
  const isChosen = useRef(false);
  return (
    <Autocomplete
      {...fieldLook}
      label={label}
      placeholder={placeholder}
      description={help}
      clearable
      clearButtonProps={clearButton(label)}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      openOnFocus={false}
      data={suggestions.map(({ value }) => value)}
      filter={filterFor(suggestions, draft.isTyped)}
      renderOption={({ option: { value } }) => (
        <Described value={value} {...suggestions.find((one) => one.value === value)} />
      )}
      value={draft.text}
      error={draft.problem}
      onChange={(typed) => {
        if (isChosen.current) draft.finish(typed);
        else draft.type(typed);
        isChosen.current = false;
      }}
      onOptionSubmit={() => {
        isChosen.current = true;
      }}
      onClear={() => draft.finish('')}
      {...draft.handlers}
    />
  );
}

function PlainField({ label, owner, text, placeholder, help, onCommit }: TextFieldProps) {
  const draft = useDraft(owner, text, onCommit);
  return (
    <TextInput
      {...fieldLook}
      label={label}
      placeholder={placeholder}
      description={help}
      value={draft.text}
      error={draft.problem}
      onChange={({ currentTarget }) => draft.type(currentTarget.value)}
      {...draft.handlers}
    />
  );
}

/** A text, with suggestions where there can be some. */
export function TextField(props: TextFieldProps) {
  return props.suggestions === undefined ? <PlainField {...props} /> : <SuggestField {...props} />;
}

/** Several lines: Enter begins a new one, so the edit is made when the field loses the focus, or with Ctrl Enter. */
export function LinesField({ label, owner, text, placeholder, onCommit }: TextFieldProps) {
  const draft = useDraft(owner, text, onCommit);
  return (
    <Textarea
      {...fieldLook}
      label={label}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={8}
      value={draft.text}
      error={draft.problem}
      onChange={({ currentTarget }) => draft.type(currentTarget.value)}
      onBlur={draft.handlers.onBlur}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.ctrlKey) draft.handlers.onKeyDown(event);
      }}
    />
  );
}
