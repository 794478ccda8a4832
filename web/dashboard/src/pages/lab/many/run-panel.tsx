import { Group, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import { useMay } from '../../../api/queries.ts';
import { late } from '../../../parts/late.ts';
import { Loading } from '../../../parts/loading.tsx';

const RunInNodes = late(async () => ({ default: (await import('./run-in-nodes.tsx')).RunInNodes }));

/** A command in many nodes; nothing for users who may not run one. Once it was opened, its answers stay while it is closed. */
export function RunPanel({ lab }: { readonly lab: Lab }) {
  const may = useMay(lab);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  if (!may('execInNodes') || lab.nodes.length === 0) return null;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section aria-labelledby="run-in-nodes">
      <Title order={2} size="h4" id="run-in-nodes" mb={isOpen ? 'xs' : 0}>
        <UnstyledButton
          fz="inherit"
          fw="inherit"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
            setOpened(true);
          }}
        >
          <Group gap={4} wrap="nowrap">
            <Chevron size={18} aria-hidden />
            Run a command
          </Group>
        </UnstyledButton>
      </Title>
      {wasOpened && (
        <div hidden={!isOpen}>
          <Suspense fallback={<Loading />}>
            <RunInNodes lab={lab} />
          </Suspense>
        </div>
      )}
    </section>
  );
}
