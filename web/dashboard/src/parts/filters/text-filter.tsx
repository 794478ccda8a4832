import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/** A filter asks the service: not at each key. */
const pauseMs = 400;

const plain = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** The text as it is typed; a new `value` replaces it, unless it is the one that was typed. */
function useTyped(value: string) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // While it is drawn, as React recommends: the old value is never shown.
  if (value !== before) {
    setBefore(value);
    if (plain(text) !== plain(value)) setText(value);
  }
  return [text, setText] as const;
}

/**
 * The filter applies when the user pauses, and at once after Enter or when the field loses the focus. Of a time, the parts come one
 * after the other: it does not apply before.
 */
export function TextFilter({
  label,
  value,
  type = 'text',
  placeholder = 'any',
  width = 120,
  onApply,
}: {
  readonly label: string;
  readonly value: string;
  readonly type?: 'text' | 'datetime-local';
  readonly placeholder?: string;
  readonly width?: number;
  readonly onApply: (value: string) => void;
}) {
  const [text, setText] = useTyped(value);
  const apply = (wanted: string): void => {
    if (plain(wanted) !== plain(value)) onApply(wanted.trim());
  };
  const applyLater = useDebouncedCallback(apply, pauseMs);
  const applyNow = (): void => {
    applyLater.cancel();
    apply(text);
  };
  return (
    <TextInput
      size="xs"
      type={type}
      label={label}
      placeholder={placeholder}
      {...(type === 'datetime-local' && { max: '9999-12-31T23:59' })}
      w={width}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        if (type === 'text') applyLater(currentTarget.value);
      }}
      onBlur={applyNow}
      onKeyDown={(event) => {
        if (event.key === 'Enter') applyNow();
      }}
    />
  );
}
