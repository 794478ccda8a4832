import { IconDownload } from '@tabler/icons-react';
import { addressOf } from '../../api/service.ts';
import { workspacePath } from './paths.ts';
import { MenuEntry } from '../../parts/menu.tsx';

/** Downloads all files of a workspace as an archive. */
export function DownloadItems({ name }: { readonly name: string }) {
  return (['tar.gz', 'zip'] as const).map((format) => (
    <MenuEntry
      key={format}
      Icon={IconDownload}
      href={addressOf(`${workspacePath(name)}?format=${format}`)}
      download={`${name}.${format}`}
    >
      Download as {format}
    </MenuEntry>
  ));
}
