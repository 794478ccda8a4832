import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Empty } from '../empty.tsx';
import { hasWords } from '../has-words.ts';
import { useAddress } from '../use-address.ts';
import { SearchField } from './search-field.tsx';

interface Props<Item> {
  readonly items: readonly Item[];
  /** The things in the plural: `workspaces`. */
  readonly what: string;
  readonly placeholder: string;
  /** The texts of an item that are searched. */
  readonly wordsOf: (item: Item) => readonly (string | null)[];
  readonly children: (found: readonly Item[]) => ReactNode;
}

/** From this number on, a search helps. */
const many = 8;

/** A list with a search field above it when it is long; the text is in the address. */
export function Searched<Item>({ items, what, placeholder, wordsOf, children }: Props<Item>) {
  const { get, change } = useAddress();
  const text = get('q') ?? '';
  const found = items.filter((item) => hasWords(wordsOf(item), text));
  return (
    <Stack>
      {(items.length >= many || text !== '') && (
        <Group>
          <SearchField
            label={`Search ${what}`}
            placeholder={placeholder}
            text={text}
            onText={(q) => change({ q })}
          />
        </Group>
      )}
      {found.length > 0 ? (
        children(found)
      ) : (
        <Empty title={`No ${what} match`}>
          <Button variant="default" mt="sm" onClick={() => change({ q: undefined })}>
            Show all {items.length}
          </Button>
        </Empty>
      )}
    </Stack>
  );
}
