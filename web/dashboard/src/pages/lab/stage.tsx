import { Box, Center, Drawer, Paper, Text } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { Suspense, useLayoutEffect, useRef, useState, type ReactNode, useCallback } from 'react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { nodeBoxId } from '../../../../../src/labs/picture/graph-of.ts';
import { useLabTopology } from '../../api/queries.ts';
import { late } from '../../parts/late.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useAddress } from '../../parts/use-address.ts';
import { FirstPicture } from './first-picture.tsx';
import classes from './stage.module.css';

/** The open node and its tab. They are in the address, so that it can be shared. */
export function useOpenNode() {
  const { get, change } = useAddress();
  const open = useCallback((node: string) => change({ node, interface: undefined }, true), [change]);
  const close = useCallback(
    () => change({ node: undefined, tab: undefined, interface: undefined }, true),
    [change],
  );
  const showTab = useCallback((tab: string) => change({ tab }), [change]);
  return { node: get('node'), tab: get('tab') ?? 'overview', open, close, showTab };
}

const pictureCode = async () => import('./picture/picture.tsx');
const Picture = late(async () => ({ default: (await pictureCode()).Picture }));
// It loads while the page asks for the lab and its topology. An error is reported when the picture is drawn.
pictureCode().catch(() => undefined);
const NodeDrawer = late(async () => ({ default: (await import('./node/node-drawer.tsx')).NodeDrawer }));

const loading = <Loading h="100%" />;

/** Shown instead of a picture that is missing or not ready yet. */
function NoPicture({ lab, error, onRetry }: { lab: Lab; error: Error; onRetry: () => void }) {
  const isComing =
    lab.state === 'starting' && error instanceof ServiceError && error.code === 'topology-not-found';
  if (!isComing) return <ProblemNotice error={error} title="No picture" onRetry={onRetry} />;
  return (
    <Center mih={200}>
      <Text c="dimmed">The picture appears as soon as the lab is computed.</Text>
    </Center>
  );
}

interface StageProps {
  readonly lab: Lab;
  readonly opened: ReturnType<typeof useOpenNode>;
}

/** Moves the focus into the drawer when a node is opened by keyboard, and back to the node afterwards. */
function useFocus(name: string) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = place.current;
    if (document.activeElement?.matches('.react-flow__node:focus-visible')) own?.focus();
    return () => {
      // The element still exists at this moment.
      if (!own?.contains(document.activeElement)) return;
      const box = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(nodeBoxId(name))}"]`);
      box?.focus({ preventScroll: true });
    };
  }, [name]);
  return place;
}

/** Beside the picture on a wide screen, above the picture on a narrow one. */
function Side({ children, name, onClose }: { children: ReactNode; name: string; onClose: () => void }) {
  const isBeside = useMediaQuery('(min-width: 75em)', undefined, { getInitialValueInEffect: false });
  const place = useFocus(name);
  if (isBeside)
    return (
      <Paper withBorder ref={place} tabIndex={-1} className={classes['side']}>
        {children}
      </Paper>
    );
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      // The drawer closes itself, because it may have to ask first.
      closeOnEscape={false}
      closeOnClickOutside={false}
      position="right"
      size="min(640px, 100%)"
      padding={0}
    >
      <Drawer.Overlay />
      <Drawer.Content aria-label={`Node ${name}`}>
        <Drawer.Body className={classes['above'] ?? ''}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** The picture of a lab, and the drawer of a node. */
export function Stage({ lab, opened: { node, tab, open, close, showTab } }: StageProps) {
  const [isWide, setWide] = useState(false);
  const { data: topology, error, refetch } = useLabTopology(lab.id);
  useHotkeys([['Escape', () => setWide(false)]]);
  return (
    <Box className={isWide ? classes['wide'] : classes['stage']}>
      <Box className={classes['main']}>
        {topology ? (
          <Suspense fallback={<FirstPicture id={lab.id} topology={topology} />}>
            <Picture
              lab={lab}
              topology={topology}
              chosen={node}
              onOpen={open}
              isWide={isWide}
              onWide={() => setWide(!isWide)}
            />
          </Suspense>
        ) : error ? (
          <NoPicture lab={lab} error={error} onRetry={() => void refetch()} />
        ) : (
          loading
        )}
      </Box>
      {node !== undefined && (
        <Side name={node} onClose={close}>
          <Suspense fallback={loading}>
            <NodeDrawer lab={lab} node={node} tab={tab} onTab={showTab} onClose={close} topology={topology} />
          </Suspense>
        </Side>
      )}
    </Box>
  );
}
