import { Button, Group } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { hasNewBuild } from '../api/build.ts';
import { live } from '../api/live.ts';
import { useStore } from '../api/store.ts';
import { Empty } from '../parts/empty.tsx';

interface Props {
  readonly children: ReactNode;
  /** For parts above a page: they disappear when they fail. */
  readonly isQuiet?: boolean;
}

/** The messages of browsers for a script or style that cannot be loaded; each browser has its own. */
const isMissingPart = (error: Error): boolean =>
  /dynamically imported module|importing a module script|preload CSS/i.test(error.message);

function Broken({ error }: { readonly error: unknown }) {
  const isOld = useStore(hasNewBuild);
  const isAway = useStore(live).kind === 'away';
  const isMissing = error instanceof Error && isMissingPart(error);
  const said = error instanceof Error ? error.message : 'The error has no message.';
  const title = isMissing && isOld ? 'This page is outdated' : 'This page cannot be shown';
  return (
    <Empty isPage title={title}>
      {!isMissing && said}
      {isMissing && isOld && 'The service was updated, and no longer serves this version of the page.'}
      {isMissing && !isOld && isAway && 'A part of the page cannot be loaded without a connection.'}
      {isMissing && !isOld && !isAway && 'A part of the page could not be loaded.'}
      <Group justify="center" mt="md">
        <Button onClick={() => location.reload()} disabled={isAway}>
          Reload
        </Button>
      </Group>
    </Empty>
  );
}

/** Keeps the frame when a page fails. A page whose files are missing after an update offers to reload. */
export class Failsafe extends Component<Props, { readonly error: unknown }> {
  override readonly state = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state as { error: unknown };
    if (error === undefined) return this.props.children;
    return this.props.isQuiet ? null : <Broken error={error} />;
  }
}
