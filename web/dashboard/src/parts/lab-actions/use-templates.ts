import { useQuery } from '@tanstack/react-query';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { client } from '../../api/service.ts';
import { templatesAmong } from './templates-among.ts';

/** The templates in the workspace of the lab; none for a lab in another directory. */
export function useTemplates({ workspace, workdir }: Pick<Lab, 'workspace' | 'workdir'>): readonly string[] {
  const { data } = useQuery({
    queryKey: ['workspace', workspace, 'templates', workdir],
    queryFn: async () => {
      const name = workspace ?? '';
      const [{ workdir: top }, files] = await Promise.all([
        client.workspaces.get(name),
        client.workspaces.files(name, { recursive: true }),
      ]);
      const directory = workdir?.startsWith(`${top}/`) ? workdir.slice(top.length + 1) : '';
      return templatesAmong(
        files.filter(({ kind }) => kind === 'file').map(({ path }) => path),
        directory,
      );
    },
    enabled: workspace !== null,
    refetchOnMount: 'always',
  });
  return data ?? [];
}
