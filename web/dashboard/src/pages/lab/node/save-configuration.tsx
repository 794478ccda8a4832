import { IconFileDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import { useMay } from '../../../api/queries.ts';
import { client } from '../../../api/service.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { tellError } from '../../../parts/tell.ts';
import { Tool } from '../../../parts/tool.tsx';

/** Downloads the running configuration of a node, for users who may read it. */
export function SaveConfiguration({ lab, node }: { readonly lab: Lab; readonly node: string }) {
  const may = useMay(lab);
  const save = useMutation({
    mutationFn: async () => (await client.node(lab.id, node).configuration()).blob(),
    onSuccess: (file) => saveFile(file, `${node}.cfg`),
    onError: (error) => tellError(`The configuration of ${node} was not saved`, error, { stays: true }),
  });
  if (!may('getNodeConfiguration')) return null;
  return (
    <Tool
      label={`Save configuration of ${node}`}
      tip="Save configuration"
      Icon={IconFileDownload}
      iconSize={18}
      loading={save.isPending}
      onClick={() => save.mutate()}
    />
  );
}
