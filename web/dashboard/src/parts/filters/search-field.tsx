import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRef } from 'react';

interface Props {
  /** The name for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  /** Undefined when the field is empty. */
  readonly onText: (text: string | undefined) => void;
}

/** A search that applies to a list at each key. */
export function SearchField({ label, placeholder, text, onText }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const clear = (): void => {
    onText(undefined);
    field.current?.focus();
  };
  return (
    <TextInput
      ref={field}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={clear} />
      }
      value={text}
      onChange={(event) => onText(event.currentTarget.value || undefined)}
      style={{ flex: '1 1 220px', maxWidth: 360 }}
    />
  );
}
