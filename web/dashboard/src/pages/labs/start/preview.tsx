import { Button, Skeleton } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { late } from '../../../parts/late.ts';
import { useFileText } from '../queries.ts';

// The picture is larger than the dialog.
const TopologyPreview = late(async () => ({
  default: (await import('./topology-preview.tsx')).TopologyPreview,
}));

const wait = <Skeleton h={260} role="status" aria-label="Loading the preview" />;

interface Props {
  /** The name of the file. */
  readonly path: string;
  /** Undefined while it is loaded. */
  readonly text: string | undefined;
}

/** A picture of the topology; a narrow window shows it on demand. */
function Preview({ path, text }: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const isShown = !isNarrow || isOpen;
  const Icon = isShown ? IconChevronDown : IconChevronRight;
  return (
    <div>
      {isNarrow && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Icon size={16} aria-hidden />}
          aria-expanded={isShown}
          onClick={() => setOpen(!isOpen)}
          mb="xs"
        >
          Preview
        </Button>
      )}
      {isShown && (
        <Suspense fallback={wait}>
          {text === undefined ? wait : <TopologyPreview path={path} text={text} />}
        </Suspense>
      )}
    </div>
  );
}

/** A preview of a text that is typed, once the user pauses. */
export function TypedPreview({ text }: { readonly text: string }) {
  const [settled] = useDebouncedValue(text, 300);
  return <Preview path="topology.yml" text={settled} />;
}

/** A preview of a file of a workspace. */
export function FilePreview({ workspace, path }: { readonly workspace: string; readonly path: string }) {
  const { data, isError } = useFileText(workspace, path);
  // The job says what is wrong with the file.
  return isError && data === undefined ? null : <Preview path={path} text={data} />;
}
