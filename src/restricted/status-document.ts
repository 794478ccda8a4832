/** The status of a part of the labs, in the shape in which the lab CLI prints that of all. */
import type { Labs } from '../labs/labs.ts';
import type { KnownLab, StatusFormat } from '../labs/status/lab-status.ts';

const noLabs = 'there are no labs that you may see';

function lineOf({ id, directory, entry }: KnownLab): string {
  const { status } = entry;
  return [id, directory ?? '-', typeof status === 'string' ? status : '-'].join('  ');
}

export function statusOf(
  labs: readonly KnownLab[],
  format: StatusFormat,
  all: Pick<Labs, 'documentOf'>,
): Buffer {
  if (format === 'text') return Buffer.from(`${labs.map(lineOf).join('\n') || noLabs}\n`);
  const document = all.documentOf(new Map(labs.map(({ id, entry }) => [id, entry])));
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}
