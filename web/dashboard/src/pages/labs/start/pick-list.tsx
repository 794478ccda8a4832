import { Group, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { hasWords } from '../../../parts/has-words.ts';
import classes from '../labs.module.css';

export interface PickItem {
  readonly key: string;
  readonly title: string;
  /** Shown small under the title, such as the path. */
  readonly detail?: string | undefined;
  readonly about?: string | undefined;
  readonly facts: readonly string[];
  /** Reasons why the item cannot be chosen; empty if it can. */
  readonly obstacles: readonly string[];
}

interface Props {
  /** The name of the list: "Templates". */
  readonly label: string;
  /** Undefined while they are loaded: the user may type already. */
  readonly items: readonly PickItem[] | undefined;
  readonly onPick: (key: string) => void;
}

const none: readonly PickItem[] = [];

function Option({ item }: { readonly item: PickItem }) {
  const isBarred = item.obstacles.length > 0;
  return (
    <>
      <Group justify="space-between" gap="sm" align="baseline">
        <Text size="sm" fw={600} {...(isBarred && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }}>
          {item.title}
        </Text>
        <Text size="xs" c="dimmed" className="numbers">
          {item.facts.join(' · ')}
        </Text>
      </Group>
      {item.detail !== undefined && item.detail !== item.title && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {item.detail}
        </Text>
      )}
      {item.about !== undefined && (
        <Text size="xs" lineClamp={2}>
          {item.about}
        </Text>
      )}
      {item.obstacles.map((obstacle) => (
        <Group key={obstacle} gap={6} wrap="nowrap" align="start" c="var(--mantine-color-orange-text)">
          <IconAlertTriangle size={14} style={{ flexShrink: 0, marginTop: 2 }} aria-hidden />
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {obstacle}
          </Text>
        </Group>
      ))}
    </>
  );
}

/** The step of each key in the list. */
const strides: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** The list, the search text and the active option. */
function usePickList(items: readonly PickItem[], onPick: (key: string) => void) {
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const found = items.filter(({ title, detail, about, facts }) =>
    hasWords([title, detail, about, ...facts], search),
  );
  // Its result changes with each render; nothing here is memoized.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: found.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 64,
    getItemKey: (index) => found[index]?.key ?? index,
    overscan: 6,
  });
  const pick = (index: number): void => {
    const item = found[index];
    if (item?.obstacles.length === 0) onPick(item.key);
  };
  const goTo = (index: number): void => {
    const next = Math.max(0, Math.min(found.length - 1, index));
    setActive(next);
    virtualizer.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const stride = strides[event.key];
    if (stride !== undefined) goTo(active + stride);
    else if (event.key === 'Enter') pick(active);
    else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent): void => {
    const option = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    if (option === null) return;
    setActive(Number(option.dataset['index']));
    pick(Number(option.dataset['index']));
  };
  const find = (text: string): void => {
    setSearch(text);
    setActive(0);
    virtualizer.scrollToOffset(0);
  };
  return { search, find, found, active, frame, virtualizer, onKeyDown, onClick };
}

/** A searchable list of any length; only visible options are drawn. The keyboard focus stays in the search field. */
export function PickList({ label, items: given, onPick }: Props) {
  const items = given ?? none;
  const { search, find, found, active, frame, virtualizer, onKeyDown, onClick } = usePickList(items, onPick);
  const listId = useId();
  const searchField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The list may appear late: do not take the focus from a field in which the user types, nor from a choice.
    if (document.activeElement?.matches('input, [role="radio"]') !== true) searchField.current?.focus();
  }, []);
  const optionId = (index: number): string => `${listId}-${index}`;
  return (
    <div>
      <TextInput
        aria-label={`Search ${label.toLowerCase()}`}
        placeholder={`Search ${given ? `${given.length} ` : ''}${label.toLowerCase()}`}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => find(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? optionId(active) : undefined}
        autoComplete="off"
        ref={searchField}
        data-autofocus
        mb="xs"
      />
      <div
        ref={frame}
        id={listId}
        role="listbox"
        aria-label={label}
        aria-busy={given === undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        className={classes['list']}
        aria-activedescendant={found.length > 0 ? optionId(active) : undefined}
      >
        <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const item = found[index];
            if (item === undefined) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                id={optionId(index)}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                aria-disabled={item.obstacles.length > 0}
                aria-setsize={found.length}
                aria-posinset={index + 1}
                data-active={index === active || undefined}
                className={classes['option']}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Option item={item} />
              </div>
            );
          })}
        </div>
      </div>
      <Text size="xs" c="dimmed" mt={4} role="status">
        {given === undefined
          ? 'Loading…'
          : found.length === 0
            ? 'No results.'
            : found.length === items.length
              ? `${items.length} in total`
              : `${found.length} of ${items.length}`}
      </Text>
    </div>
  );
}
