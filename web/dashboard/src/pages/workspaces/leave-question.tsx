import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from '../../api/store.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { askBeforeLeaving, useQuestionBeforeClosing, wishToLeave } from '../../parts/leaving.ts';
import { draftKey, drafts, draftsIn, setDraft } from './editor/drafts.ts';

/** Asks before the user leaves a workspace with unsaved files: inside the dashboard, and when the window is closed. */
export function LeaveQuestion({ workspace }: { readonly workspace: string }) {
  const paths = draftsIn(useStore(drafts), workspace);
  const wish = useStore(wishToLeave);
  const hasDrafts = paths.length > 0;
  useEffect(() => {
    if (!hasDrafts) return undefined;
    const here = location.pathname;
    return askBeforeLeaving((to) => to.pathname === here);
  }, [hasDrafts]);
  useQuestionBeforeClosing(hasDrafts);
  if (!wish || !hasDrafts) return null;
  const stay = (): void => wishToLeave.set(undefined);
  const discard = (): void => {
    for (const path of paths) setDraft(draftKey(workspace, path), undefined);
    stay();
    wish.go();
  };
  const keep = (): void => {
    stay();
    wish.go();
  };
  return (
    <Dialog opened onClose={stay} title="Leave without saving?" size="lg">
      <Stack>
        <Text size="sm">Unsaved files:</Text>
        <List size="sm">
          {paths.map((path) => (
            <List.Item key={path}>{path}</List.Item>
          ))}
        </List>
        <Text size="sm" c="dimmed">
          Drafts are kept until this window is closed.
        </Text>
        <Group justify="flex-end">
          <Button variant="subtle" color="red" onClick={discard}>
            Discard
          </Button>
          <Button variant="default" onClick={keep}>
            Leave and keep the drafts
          </Button>
          <Button onClick={stay} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
