/** The picture of a lab as a file: as the service draws it, with the states of now. */
import { fileFrom, labPath } from '../../../api/service.ts';

/** Twice as fine as the SVG, for screens that show that. */
const finest = 2;
/** Browsers refuse larger canvases. */
const longestSide = 12_000;

const svgOf = async (lab: string): Promise<Blob> =>
  fileFrom(labPath(lab, 'topology.svg'), { query: { state: true } });

function offer(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has it once the click is over.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

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
        else
          reject(new Error('this browser cannot make a PNG of a picture as large as this one: take the SVG'));
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Has the browser save the picture. @throws ServiceError as `GET /labs/{id}/topology.svg`; Error for one that is too large. */
export async function savePicture(lab: string, kind: 'svg' | 'png'): Promise<void> {
  const svg = await svgOf(lab);
  offer(kind === 'svg' ? svg : await drawn(svg), `lab-${lab.replaceAll(/[^\w.-]+/g, '-')}.${kind}`);
}
