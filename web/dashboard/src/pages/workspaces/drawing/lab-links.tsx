import { Button } from '@mantine/core';
import { IconPlugConnected, IconServer, IconTerminal2, type Icon } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import { useLabTopology } from '../../../api/queries.ts';
import { labPath } from '../../../api/service.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { hasNode, linkInLab } from './lab-changes.ts';
import type { Selection } from './selection.ts';

interface Props {
  readonly lab: Lab;
  readonly drawing: Drawing;
  readonly selected: Selection;
}

interface Place {
  readonly label: string;
  readonly Icon: Icon;
  /** The parameters of the page of the lab. */
  readonly at: Readonly<Record<string, string>>;
}

/** The places of the page of a lab for the only selected node or link, if the lab has it as it is drawn. */
function usePlaces({ lab, drawing, selected }: Props): readonly Place[] {
  const topology = useLabTopology(lab.id).data;
  const { nodes, links } = selected;
  const [node, link] = [nodes[0], links[0]];
  if (topology === undefined || nodes.length + links.length !== 1) return [];
  if (node !== undefined) {
    if (!hasNode(topology, drawing, node) || !lab.nodes.some(({ name }) => name === node)) return [];
    return [
      { label: `Terminal of ${node}`, Icon: IconTerminal2, at: { node, tab: 'terminal' } },
      { label: `${node} in the lab`, Icon: IconServer, at: { node } },
    ];
  }
  const found = link === undefined ? undefined : linkInLab(topology, drawing, link);
  if (!found) return [];
  return [{ label: 'Link in the lab', Icon: IconPlugConnected, at: { link: found.id } }];
}

/** Leads from what is selected in a drawing to the same thing in its lab. */
export function LabLinks(props: Props) {
  return usePlaces(props).map(({ label, Icon, at }) => (
    <Button
      key={label}
      component={Link}
      href={`${labPath(props.lab.id)}?${new URLSearchParams(at).toString()}`}
      size="xs"
      variant="default"
      leftSection={<Icon size={16} aria-hidden />}
    >
      {label}
    </Button>
  ));
}
