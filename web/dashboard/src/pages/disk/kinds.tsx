import { ColorSwatch, Group, Progress, Table, Text } from '@mantine/core';
import type { DiskUse } from '../../../../../src/client/api-types.ts';
import { sizeText } from '../../parts/size-text.ts';
import { Part } from '../../parts/part.tsx';

type Kind = DiskUse['kinds'][number];

const looks: Readonly<Partial<Record<string, { readonly label: string; readonly color: string }>>> = {
  jobs: { label: 'Jobs: logs and artifacts', color: 'indigo' },
  workspaces: { label: 'Workspaces', color: 'teal' },
  images: { label: 'Images', color: 'orange' },
  state: { label: 'Events and other files', color: 'grape' },
};

/** A newer service may have other kinds. */
const lookOf = (kind: string) => looks[kind] ?? { label: kind, color: 'pink' };

/** A bar with a section for each kind; the table below has the same in numbers. */
export function Kinds({ kinds }: { readonly kinds: readonly Kind[] }) {
  const total = kinds.reduce((sum, { size }) => sum + (size ?? 0), 0);
  return (
    <Part title="Used by the service">
      <Progress.Root size="xl" aria-hidden>
        {kinds.map(({ kind, size }) => (
          <Progress.Section
            key={kind}
            value={total === 0 ? 0 : ((size ?? 0) / total) * 100}
            color={lookOf(kind).color}
          />
        ))}
      </Progress.Root>
      <Table verticalSpacing={4} horizontalSpacing={0} withRowBorders={false} aria-label="By kind">
        <Table.Tbody>
          {kinds.map(({ kind, size, partial }) => (
            <Table.Tr key={kind}>
              <Table.Th scope="row" fw={400}>
                <Group gap={8} wrap="nowrap">
                  <ColorSwatch
                    size={12}
                    withShadow={false}
                    color={`var(--mantine-color-${lookOf(kind).color}-filled)`}
                    aria-hidden
                  />
                  {lookOf(kind).label}
                </Group>
              </Table.Th>
              <Table.Td ta="right" className="numbers">
                {size === null ? (
                  <Text inherit span c="dimmed">
                    unknown
                  </Text>
                ) : (
                  `${partial ? 'over ' : ''}${sizeText(size)}`
                )}
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            <Table.Td ta="right" fw={600} className="numbers">
              {kinds.some(({ partial }) => partial) && 'over '}
              {sizeText(total)}
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Part>
  );
}
