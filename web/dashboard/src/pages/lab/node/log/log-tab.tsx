import { Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ServiceError } from '../../../../../../../src/client/service-error.ts';
import { client } from '../../../../api/service.ts';
import { useWatched } from '../../../../api/watched.ts';
import { Empty } from '../../../../parts/empty.tsx';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';
import { EndBox } from '../end-box.tsx';
import styles from '../node.module.css';

interface Followed {
  readonly text: string;
  readonly isFollowed: boolean;
  readonly error?: unknown;
}

/** The page keeps this much of the end of a log. */
const maxCharacters = 1024 * 1024;
const firstLines = 2000;
const drawMs = 100;

/** The end of the log of a node, and new output while the page is visible. */
function useNodeLog(lab: string, node: string): Followed {
  const [followed, setFollowed] = useState<Followed>({ text: '', isFollowed: true });
  const isWatched = useWatched();
  useEffect(() => {
    // The text stays; after a pause, the log is read again from its current end.
    if (!isWatched) return;
    const leaving = new AbortController();
    let text = '';
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = (more: Partial<Followed> = {}): void => {
      clearTimeout(drawing);
      drawing = undefined;
      if (!leaving.signal.aborted) setFollowed({ text, isFollowed: true, ...more });
    };
    const follow = async (): Promise<void> => {
      const { signal } = leaving;
      const query = { tail: firstLines, follow: true, plain: true };
      const { body } = await client.node(lab, node).log(query, { signal });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        text = (text + piece.value).slice(-maxCharacters);
        drawing ??= setTimeout(draw, drawMs);
      }
    };
    draw();
    follow().then(
      () => draw({ isFollowed: false }),
      (error: unknown) => draw({ isFollowed: false, error }),
    );
    return () => {
      leaving.abort();
      clearTimeout(drawing);
    };
  }, [lab, node, isWatched]);
  return followed;
}

interface NodeName {
  readonly lab: string;
  readonly node: string;
}

function NodeLog({ lab, node, onRetry }: NodeName & { readonly onRetry: () => void }) {
  const { text, isFollowed, error } = useNodeLog(lab, node);
  const [isAtEnd, setAtEnd] = useState(true);
  if (error instanceof ServiceError && error.code === 'not-supported')
    return <Empty title="This node has no log">{error.message}</Empty>;
  return (
    <Stack gap="xs" h="100%">
      {error !== undefined && <ProblemNotice error={error} onRetry={onRetry} />}
      <Text size="xs" c="dimmed" role="status">
        {isFollowed
          ? isAtEnd
            ? 'Following: new lines appear at the end.'
            : 'Paused: scroll to the end to follow.'
          : 'The log has ended.'}
      </Text>
      <EndBox className={styles['log']} label={`Log of ${node}`} text={text} onAtEnd={setAtEnd} />
    </Stack>
  );
}

export function LogTab({ lab, node }: NodeName) {
  const [attempt, setAttempt] = useState(0);
  return <NodeLog key={attempt} lab={lab} node={node} onRetry={() => setAttempt(attempt + 1)} />;
}
