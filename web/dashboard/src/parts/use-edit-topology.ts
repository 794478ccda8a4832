import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { jobTopology } from '../api/queries.ts';
import { client } from '../api/service.ts';
import { startLink } from './start-link.ts';
import { tellError } from './tell.ts';
import { editableTopology } from './topology-of.ts';
import { typedTopology } from './typed-topology.ts';

/** Opens the topology of the job with an ID in the editor of its workspace, or in the dialog that starts a lab. */
export function useEditTopology() {
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (id: string): Promise<string> => {
      const topology = editableTopology(await client.getJob(id));
      if (topology === undefined) throw new Error('It is a file of the lab server: edit it there.');
      if (topology.kind === 'file') return topology.href;
      typedTopology.set(await jobTopology(id));
      return startLink({ kind: 'text' });
    },
    onSuccess: (href) => navigate(href),
    onError: (error) => tellError('The topology cannot be opened', error),
  });
}
