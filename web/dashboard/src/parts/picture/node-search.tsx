import { Select, type SelectProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

interface NodeSearchProps extends SelectProps {
  readonly names: readonly string[];
  readonly onFind: (name: string) => void;
}

/** Finds a node of a picture by a part of its name. */
export function NodeSearch({ names, onFind, ...rest }: NodeSearchProps) {
  return (
    <Select
      aria-label="Find a node"
      placeholder="Find a node"
      searchable
      // The first matches are enough: the user types on.
      limit={50}
      leftSection={<IconSearch size={14} aria-hidden />}
      data={names}
      value={null}
      selectFirstOptionOnChange
      onChange={(name) => name !== null && onFind(name)}
      nothingFoundMessage="No such node"
      {...rest}
    />
  );
}
