import type { Snapshot } from '../../../../../src/client/api-types.ts';
import { labText } from '../../parts/lab-title.ts';

/** The lab of a snapshot as users name it; it may be gone. */
export const labOf = ({ lab, workspace, workdir }: Snapshot): string =>
  labText({ id: lab, name: null, workspace, workdir });
