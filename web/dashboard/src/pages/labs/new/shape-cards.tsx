import { Group, Radio, SimpleGrid, Text } from '@mantine/core';
import { IconBrandGit, IconTemplate } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { shapeNames, shapes, type ShapeName } from '../../../parts/drawing/shapes.ts';
import classes from '../labs.module.css';

/** How a new lab begins. */
export type Beginning = ShapeName | 'template' | 'git';

type Point = readonly [number, number];

interface Picture {
  readonly nodes: readonly Point[];
  /** The links, as the path of an SVG. */
  readonly links: string;
}

const around: readonly Point[] = [
  [28, 5],
  [43, 16],
  [37, 32],
  [19, 32],
  [13, 16],
];
const circle = 'M28 5L43 16L37 32L19 32L13 16Z';

const pictures: Readonly<Record<ShapeName, Picture>> = {
  blank: { nodes: [[28, 19]], links: '' },
  line: { nodes: [6, 21, 36, 51].map((x) => [x, 19]), links: 'M6 19H51' },
  ring: { nodes: around, links: circle },
  star: { nodes: [[28, 20], ...around], links: 'M28 20V5M28 20L43 16M28 20L37 32M28 20L19 32M28 20L13 16' },
  'spine-leaf': {
    nodes: [...[18, 38].map((x): Point => [x, 8]), ...[8, 28, 48].map((x): Point => [x, 30])],
    links: 'M18 8L8 30M18 8L28 30M18 8L48 30M38 8L8 30M38 8L28 30M38 8L48 30',
  },
  mesh: { nodes: around, links: `${circle}M28 5L37 32L13 16L43 16L19 32Z` },
};

function ShapePicture({ shape }: { readonly shape: ShapeName }) {
  const { nodes, links } = pictures[shape];
  return (
    <svg width={56} height={38} viewBox="0 0 56 38" aria-hidden className={classes['shape'] ?? ''}>
      <path d={links} />
      {nodes.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={4} />
      ))}
    </svg>
  );
}

const iconSize = { size: 34, stroke: 1.4, 'aria-hidden': true } as const;

const cards: readonly { readonly name: Beginning; readonly label: string; readonly picture: ReactNode }[] = [
  ...shapeNames.map((name) => ({ name, label: shapes[name].label, picture: <ShapePicture shape={name} /> })),
  { name: 'template', label: 'Template', picture: <IconTemplate {...iconSize} /> },
  { name: 'git', label: 'From Git', picture: <IconBrandGit {...iconSize} /> },
];

interface Props {
  readonly chosen: Beginning;
  readonly onChoose: (beginning: Beginning) => void;
}

/** The ways to begin, each with a picture. */
export function ShapeCards({ chosen, onChoose }: Props) {
  return (
    <Radio.Group aria-label="Begin with" name="beginning" value={chosen} onChange={onChoose}>
      <SimpleGrid cols={4} spacing={8} verticalSpacing={8} pt={4}>
        {cards.map(({ name, label, picture }) => (
          <Radio.Card
            key={name}
            value={name}
            className={classes['beginning'] ?? ''}
            // The arrow keys lead to the others.
            tabIndex={name === chosen ? 0 : -1}
            data-autofocus={name === chosen || undefined}
          >
            <Group h={38} justify="center">
              {picture}
            </Group>
            <Text fz={{ base: 12, xs: 14 }} ta="center">
              {label}
            </Text>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
