import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useMayOperate } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { startLink } from '../../parts/start-link.ts';
import { useTemplates } from './queries.ts';

const shownExamples = 3;

/** Examples from the templates of this server: those with a name first, small ones before large ones. Nothing without templates. */
function Examples() {
  const { data = [] } = useTemplates(undefined);
  const examples = data
    .filter(({ runnable }) => runnable)
    .toSorted(
      (a, b) => Number(a.title === null) - Number(b.title === null) || (a.nodes ?? 0) - (b.nodes ?? 0),
    )
    .slice(0, shownExamples);
  if (examples.length === 0) return null;
  return (
    <Stack gap={4} align="center">
      <Text size="sm">Or start one of these:</Text>
      {examples.map(({ topologyPath, title, path, nodes }) => (
        <Anchor
          key={topologyPath}
          component={Link}
          href={startLink({ kind: 'template', path: topologyPath })}
          size="sm"
        >
          {title ?? path} ({nodes === 1 ? '1 node' : `${nodes} nodes`})
        </Anchor>
      ))}
    </Stack>
  );
}

export function LabsEmpty() {
  const mayOperate = useMayOperate();
  return (
    <Empty title="No lab is running">
      A lab is a network of nodes, such as routers and hosts, and the links between them. A topology file
      describes it; this server starts it, and you work in its nodes.
      {mayOperate
        ? ' Draw a new one, or start one from files that are there.'
        : ' Your login may view labs, not start them: an administrator of this server can change that.'}
      {mayOperate && (
        <Stack align="center" mt="lg" gap="md">
          <Group justify="center" gap="sm">
            <Button
              component={Link}
              href="/?new="
              size="md"
              variant="default"
              leftSection={<IconPlus size={18} aria-hidden />}
            >
              New lab
            </Button>
            <Button
              component={Link}
              href={startLink({ kind: 'choose' })}
              size="md"
              leftSection={<IconPlayerPlay size={18} aria-hidden />}
            >
              Start a lab
            </Button>
          </Group>
          <Examples />
        </Stack>
      )}
    </Empty>
  );
}
