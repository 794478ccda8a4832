import { Button, Group, NumberInput, Text, TextInput } from '@mantine/core';
import {
  IconArrowBarToDown,
  IconArrowBarToUp,
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconDownload,
  IconFold,
  IconFoldDown,
  IconListNumbers,
  IconPlayerPlay,
  IconSearch,
  IconTextWrap,
} from '@tabler/icons-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { Job } from '../../../../../../src/client/api-types.ts';
import { addressOf, client } from '../../../api/service.ts';
import { copyText } from '../../../parts/copy-text.ts';
import { sizeText } from '../../../parts/size-text.ts';
import type { LogReader } from './log-reader.ts';
import { plainText } from './ansi.ts';
import { textOf } from './log-rows.ts';
import type { Finding } from './log-finder.ts';
import type { Marks } from './use-marks.ts';
import { MoreMenu, MenuEntry } from '../../../parts/menu.tsx';
import { Tool } from '../../../parts/tool.tsx';

interface Props {
  readonly job: Job;
  readonly reader: LogReader;
  readonly version: number;
  readonly finding: Finding;
  /** The index of the current match; -1 for none. */
  readonly hit: number;
  readonly onFind: (text: string) => void;
  readonly onHit: (index: number) => void;
  readonly onStop: () => void;
  readonly isWrapped: boolean;
  readonly onWrap: (isWrapped: boolean) => void;
  readonly folded: ReadonlySet<number>;
  readonly onFoldAll: (headings: ReadonlySet<number>) => void;
  readonly marks: Marks;
}

/** A larger log is not copied to the clipboard. */
const mostCopied = 8 * 1024 * 1024;
/** The lines of a smaller log are counted without a request of the user. */
const countedAnyway = 64 * 1024 * 1024;

const look = { variant: 'default', size: 'md' } as const;

/** Ctrl/Cmd+F, and `/` outside of text fields. */
function useFindKeys(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      const isWriting =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select');
      const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'f';
      if (!isFind && (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [field]);
}

function foundText({ text, hits, count, isLooking, end }: Finding, hit: number, size: number): string {
  if (text === '') return '';
  const place = hit >= 0 && hits.length > 0 ? `${hit + 1} of ${count}` : `${count}`;
  const lines = count === 1 && hit < 0 ? 'line' : 'lines';
  const found = count === 0 ? (isLooking ? '' : 'no results') : `${place} ${lines}`;
  const isBehind = end < size;
  const how = isBehind ? `searched ${sizeText(end)} of ${sizeText(size)}` : '';
  return [found, how].filter((part) => part !== '').join(' · ');
}

function Find({ reader, finding, hit, onFind, onHit, onStop }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useFindKeys(field);
  const { count, hits, text, isLooking } = finding;
  const step = (by: number): void => {
    if (hits.length > 0) onHit((hit + by + hits.length) % hits.length);
  };
  const key = (event: KeyboardEvent): void => {
    const value = field.current?.value ?? '';
    if (event.key === 'Enter') {
      event.preventDefault();
      if (value === text) step(event.shiftKey ? -1 : 1);
      else onFind(value);
    } else if (event.key === 'Escape') {
      clearTimeout(settling.current);
      if (field.current) field.current.value = '';
      onFind('');
      document.getElementById('log')?.focus();
    }
  };
  return (
    <Group gap={4} wrap="nowrap" style={{ flex: '1 1 16rem', minWidth: 0 }}>
      <TextInput
        ref={field}
        size="xs"
        type="search"
        aria-label="Find in the log"
        placeholder="Find"
        leftSection={<IconSearch size={14} aria-hidden />}
        style={{ flex: '0 1 16rem', minWidth: '6rem' }}
        onKeyDown={key}
        onChange={(event) => {
          const { value } = event.currentTarget;
          clearTimeout(settling.current);
          settling.current = setTimeout(() => onFind(value), 200);
        }}
      />
      {text !== '' && (
        <>
          <Tool
            {...look}
            label="Previous"
            Icon={IconChevronUp}
            onClick={() => step(-1)}
            disabled={count === 0}
          />
          <Tool
            {...look}
            label="Next"
            Icon={IconChevronDown}
            onClick={() => step(1)}
            disabled={count === 0}
          />
        </>
      )}
      <Text size="xs" c="dimmed" role="status" className="numbers" truncate>
        {foundText(finding, hit, reader.size)}
      </Text>
      {isLooking && text !== '' && (
        <Button size="compact-xs" variant="default" onClick={onStop}>
          Stop
        </Button>
      )}
    </Group>
  );
}

async function copyLog(job: Job, reader: LogReader, { current }: Marks): Promise<void> {
  if (current && 'from' in current) {
    const { rows } = reader;
    const lines = rows.rows.filter((row) => {
      const number = rows.numberOf(row) ?? 0;
      return number >= current.from && number <= current.to;
    });
    const text = lines.map((row) => plainText(textOf(row))).join('\n');
    return copyText(text, lines.length === 1 ? 'The line' : `${lines.length} lines`);
  }
  await copyText(await client.readLogText(job.id, { plain: true }), 'The log');
}

function LineField({ reader, marks }: { readonly reader: LogReader; readonly marks: Marks }) {
  if (marks.countedBytes !== undefined)
    return (
      <Group gap={4} wrap="nowrap" role="status">
        <Text size="xs" c="dimmed">
          counting lines: {sizeText(marks.countedBytes)} of {sizeText(reader.size)}
        </Text>
        <Button size="compact-xs" variant="default" onClick={marks.stopCounting}>
          Stop
        </Button>
      </Group>
    );
  return (
    <NumberInput
      size="xs"
      w={{ base: 64, xs: 84 }}
      aria-label="Go to line"
      placeholder="Line"
      hideControls
      allowNegative={false}
      allowDecimal={false}
      min={1}
      error={marks.complaint}
      onKeyDown={(event) => {
        const number = Number(event.currentTarget.value);
        if (event.key === 'Enter' && number > 0) marks.goToLine(number);
      }}
    />
  );
}

function More({ job, reader, marks, isWrapped, onWrap, folded, onFoldAll }: Props) {
  const headings = reader.rows.rows.filter(({ level }) => level > 0);
  const isUnnumbered = reader.rows.firstNumber === undefined;
  return (
    <MoreMenu {...look} label="More about the log">
      <MenuEntry Icon={IconTextWrap} onClick={() => onWrap(!isWrapped)}>
        {isWrapped ? 'Do not wrap lines' : 'Wrap lines'}
      </MenuEntry>
      {headings.length > 0 && (
        <MenuEntry
          Icon={folded.size > 0 ? IconFoldDown : IconFold}
          onClick={() =>
            onFoldAll(folded.size > 0 ? new Set() : new Set(headings.map(({ offset }) => offset)))
          }
        >
          {folded.size > 0 ? 'Unfold all groups' : 'Fold all groups'}
        </MenuEntry>
      )}
      {isUnnumbered && (
        <MenuEntry Icon={IconListNumbers} onClick={marks.countAll}>
          Count all lines
        </MenuEntry>
      )}
      <MenuEntry
        Icon={IconCopy}
        disabled={reader.size > mostCopied && !(marks.current && 'from' in marks.current)}
        onClick={() => void copyLog(job, reader, marks)}
      >
        {marks.current && 'from' in marks.current ? 'Copy the marked lines' : 'Copy the log'}
      </MenuEntry>
      <MenuEntry
        Icon={IconDownload}
        href={addressOf(`/jobs/${job.id}/log?output=text`)}
        download={`${job.id}.log`}
      >
        Download ({sizeText(Math.max(reader.size, job.logSize))})
      </MenuEntry>
    </MoreMenu>
  );
}

export function LogToolbar(props: Props) {
  const { reader, marks, isWrapped, onWrap } = props;
  const isUnnumbered =
    !reader.isLoading && reader.rows.firstNumber === undefined && reader.size <= countedAnyway;
  const { countAll } = marks;
  useEffect(() => {
    if (isUnnumbered) countAll();
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isUnnumbered]);
  return (
    <Group gap={6} wrap="wrap" role="toolbar" aria-label="The log">
      <Find {...props} />
      <Group gap={6} justify="flex-end" ml="auto">
        <LineField reader={reader} marks={marks} />
        <Tool
          {...look}
          label="Wrap lines"
          Icon={IconTextWrap}
          aria-pressed={isWrapped}
          {...(isWrapped && { c: 'var(--mantine-primary-color-filled)' })}
          onClick={() => onWrap(!isWrapped)}
        />
        <Tool {...look} label="To the beginning" Icon={IconArrowBarToUp} onClick={() => reader.goTo(0)} />
        <Tool {...look} label="To the end" Icon={IconArrowBarToDown} onClick={() => reader.toEnd()} />
        {!reader.isComplete && (
          <Button
            size="compact-sm"
            variant={reader.isFollowing ? 'light' : 'default'}
            aria-pressed={reader.isFollowing}
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            onClick={() => reader.setFollowing(!reader.isFollowing)}
          >
            {reader.isFollowing ? 'Following' : 'Follow'}
          </Button>
        )}
        <More {...props} />
      </Group>
    </Group>
  );
}
