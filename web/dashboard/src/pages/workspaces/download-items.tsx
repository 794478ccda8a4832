import { Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { addressOf } from '../../api/service.ts';
import { workspacePath } from './paths.ts';

/** All files of a workspace, as the archive that one likes. */
export function DownloadItems({ name }: { readonly name: string }) {
  return (['tar.gz', 'zip'] as const).map((format) => (
    <Menu.Item
      key={format}
      component="a"
      href={addressOf(`${workspacePath(name)}?format=${format}`)}
      download={`${name}.${format}`}
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      Download as {format}
    </Menu.Item>
  ));
}
