import { TextInput } from '@mantine/core';
import { useStateOf } from './use-state-of.ts';

/** The filter applies after Enter, or when the field loses the focus. */
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
  const [text, setText] = useStateOf(value, value);
  const apply = (): void => {
    if (text.trim() !== value) onApply(text.trim());
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
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
    />
  );
}
