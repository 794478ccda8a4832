import { Center, Loader } from '@mantine/core';
import type { LabTopology } from '../../../../../src/client/api-types.ts';
import { addressOf, labPath } from '../../api/service.ts';

/** The service needs seconds for a larger picture, too. */
const nodesMax = 100;

/** The picture of the service, until the page has laid out its own. */
export function FirstPicture({ id, topology }: { readonly id: string; readonly topology: LabTopology }) {
  return (
    <Center h="100%" w="100%" p="md" pos="relative">
      {topology.nodes.length <= nodesMax && (
        <img
          src={`${addressOf(labPath(id, 'topology.svg'))}?state=true`}
          alt=""
          style={{ maxWidth: '100%', maxHeight: '100%' }}
        />
      )}
      <Loader aria-label="Laying out the picture" size="sm" pos="absolute" top={12} left={12} />
    </Center>
  );
}
