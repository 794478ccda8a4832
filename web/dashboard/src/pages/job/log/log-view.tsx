import { Alert, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useStore } from '../../../api/store.ts';
import { useWatched } from '../../../api/watched.ts';
import type { Job } from '../../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../../src/client/lab-api-client.ts';
import { LogEnd, LogList } from './log-list.tsx';
import { LogReader } from './log-reader.ts';
import type { LogRow } from './log-rows.ts';
import { LogToolbar } from './log-toolbar.tsx';
import { LogFinder } from './log-finder.ts';
import { logSource } from './log-source.ts';
import { useMarks } from './use-marks.ts';
import classes from './log.module.css';

/** Opens the log at the line of the address, else at the current output, else at the beginning. */
function openFirst(reader: LogReader, job: Job, hasMark: boolean): void {
  const isRunning = !hasEnded(job.state);
  if (hasMark) reader.open(0);
  else if (isRunning) reader.open('end', { follow: true });
  else reader.open(job.state === 'failed' ? 'end' : 0);
}

/** The last error, above the rows. */
function Trouble({ reader, onAgain }: { readonly reader: LogReader; readonly onAgain: () => void }) {
  if (!reader.problem) return null;
  return (
    <Alert color={reader.isGone ? 'red' : 'yellow'} p="xs" role="status">
      <Group gap="sm">
        <Text size="sm">
          {reader.isGone
            ? 'The log cannot be read: '
            : 'The service is not reachable; the log continues when it is back: '}
          {reader.problem.message}
        </Text>
        {reader.isGone && (
          <Button size="compact-sm" variant="default" onClick={onAgain}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function Nothing({ job, reader }: { readonly job: Job; readonly reader: LogReader }) {
  if (reader.isLoading)
    return (
      <Center h="100%">
        <Loader size="sm" aria-label="Reading the log" />
      </Center>
    );
  return (
    <Center h="100%" p="md">
      <Stack gap={4} ta="center">
        <Text c="dimmed">{job.state === 'queued' ? 'The job is queued: no output yet.' : 'No output.'}</Text>
        {hasEnded(job.state) && <LogEnd job={job} />}
      </Stack>
    </Center>
  );
}

/** The log of a job: live, with colours, search, folding and links to lines, of any size. */
export function LogView({ job }: { readonly job: Job }) {
  const [reader] = useState(
    () => new LogReader(logSource(job.id), { soon: (tell) => void requestAnimationFrame(tell) }),
  );
  const [finder] = useState(() => new LogFinder(reader));
  const version = useStore(reader.changes);
  const finding = useStore(finder.finding);
  const [isWrapped, setWrapped] = useState(false);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [chosen, setChosen] = useState<number>();
  const marks = useMarks(reader);
  const isEnded = hasEnded(job.state);

  // The start position is chosen only once.
  const [begin] = useState(() => () => openFirst(reader, job, marks.current !== undefined));
  useEffect(() => {
    begin();
    return () => reader.close();
  }, [begin, reader]);
  useEffect(() => () => finder.stop(), [finder]);
  const isWatched = useWatched();
  useEffect(() => reader.setWatched(isWatched), [reader, isWatched]);
  useEffect(() => reader.note({ size: job.logSize, hasEnded: isEnded }), [reader, job.logSize, isEnded]);
  useEffect(() => reader.changes.subscribe(() => finder.look()), [reader, finder]);

  const hit = chosen ?? (finding.hits.length > 0 ? 0 : -1);
  const foundOffset = finding.hits[hit]?.offset;
  useEffect(() => {
    if (foundOffset !== undefined) reader.goTo(foundOffset);
  }, [reader, foundOffset]);

  const fold = useCallback((headings: readonly number[], isOpen?: boolean) => {
    setFolded((before) => {
      const after = new Set(before);
      for (const heading of headings) {
        if (isOpen === true || after.has(heading)) after.delete(heading);
        else after.add(heading);
      }
      return after;
    });
  }, []);
  const onFold = useCallback((row: LogRow) => fold([row.offset]), [fold]);
  const hasRows = !reader.isLoading && reader.rows.rows.length > 0;
  return (
    <Stack gap="xs" style={{ flex: '1 1 auto' }}>
      <LogToolbar
        job={job}
        reader={reader}
        version={version}
        finding={finding}
        hit={hit}
        onFind={(text) => {
          setChosen(undefined);
          finder.find(text);
        }}
        onHit={(index) => {
          setChosen(index);
          // Shows the current match again, after the user has scrolled away.
          const offset = finding.hits[index]?.offset;
          if (offset !== undefined) reader.goTo(offset);
        }}
        onStop={() => finder.stop()}
        isWrapped={isWrapped}
        onWrap={setWrapped}
        folded={folded}
        onFoldAll={setFolded}
        marks={marks}
      />
      <Trouble reader={reader} onAgain={() => openFirst(reader, job, false)} />
      <div className={classes['frame']}>
        {hasRows ? (
          <LogList
            {...{ job, reader, version, find: finding.text, isWrapped, folded, marks, onFold }}
            foundOffset={foundOffset}
            onUnfold={(headings) => fold(headings, true)}
          />
        ) : (
          <section aria-label="Log" style={{ height: '100%' }}>
            <Nothing job={job} reader={reader} />
          </section>
        )}
      </div>
    </Stack>
  );
}
