import { ActionIcon, Group, Menu } from '@mantine/core';
import { IconArrowsMaximize, IconArrowsMinimize, IconDownload, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fileFrom, labPath } from '../../../api/service.ts';
import { NodeSearch } from '../../../parts/picture/node-search.tsx';
import { ZoomTools, toolLook } from '../../../parts/picture/viewport.tsx';
import { saveFile } from '../../../parts/save-file.ts';
import { tellError } from '../../../parts/tell.ts';
import { Tool } from '../../../parts/tool.tsx';
import classes from '../../../parts/picture/picture.module.css';

/** Twice the size of the SVG, for screens with a high resolution. */
const finest = 2;
/** Browsers refuse larger canvases. */
const longestSide = 12_000;

const svgOf = async (lab: string): Promise<Blob> =>
  fileFrom(labPath(lab, 'topology.svg'), { query: { state: true } });

async function drawn(svg: Blob): Promise<Blob> {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(finest, longestSide / Math.max(image.width, image.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((file) => {
        if (file) resolve(file);
        else reject(new Error('this browser cannot make a PNG of this size: save the picture as SVG'));
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Saves the picture as a file. @throws ServiceError as `GET /labs/{id}/topology.svg`; Error for a picture that is too large. */
async function savePicture(lab: string, kind: 'svg' | 'png'): Promise<void> {
  const svg = await svgOf(lab);
  saveFile(kind === 'svg' ? svg : await drawn(svg), `lab-${lab.replaceAll(/[^\w.-]+/g, '-')}.${kind}`);
}

async function save(lab: string, kind: 'svg' | 'png'): Promise<void> {
  await savePicture(lab, kind).catch((error: unknown) => tellError('The picture was not saved', error));
}

function SaveMenu({ lab }: { readonly lab: string }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="lg" aria-label="Save the picture">
          <IconDownload size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save(lab, 'svg')}>Save as SVG</Menu.Item>
        <Menu.Item onClick={() => void save(lab, 'png')}>Save as PNG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ToolbarProps {
  readonly lab: string;
  readonly names: readonly string[];
  readonly onFind: (name: string) => void;
  readonly isWide: boolean;
  readonly onWide: () => void;
  /** Undefined when nothing was moved, or the user may not change the layout. */
  readonly onForget: (() => void) | undefined;
  readonly children: ReactNode;
}

export function Toolbar({ lab, names, onFind, isWide, onWide, onForget, children }: ToolbarProps) {
  return (
    <Group className={classes['bar']} gap={4} role="toolbar" aria-label="Picture">
      <NodeSearch
        names={names}
        onFind={onFind}
        size="xs"
        w={160}
        miw={90}
        comboboxProps={{ width: 220, position: 'bottom-start' }}
      />
      <Group gap={0} ml="auto" wrap="nowrap">
        {children}
        <ZoomTools />
        {onForget && <Tool {...toolLook} label="Reset the layout" Icon={IconRefresh} onClick={onForget} />}
        <SaveMenu lab={lab} />
        <Tool
          {...toolLook}
          label={isWide ? 'Normal size' : 'Fill the window'}
          Icon={isWide ? IconArrowsMinimize : IconArrowsMaximize}
          onClick={onWide}
        />
      </Group>
    </Group>
  );
}
