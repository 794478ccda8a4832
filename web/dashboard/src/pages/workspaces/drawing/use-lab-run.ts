/** Starts the lab of the file that is drawn, and follows it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, JobRequest, Lab } from '../../../../../../src/client/api-types.ts';
import { useJob, useLab, useLabs, useService } from '../../../api/queries.ts';
import { fetchAgain } from '../../../api/query-client.ts';
import { client, submitJob } from '../../../api/service.ts';
import { cliFor } from '../../../parts/drawing/cli-for.ts';
import type { Format } from '../../../parts/drawing/drawing.ts';

interface Drawn {
  readonly workspace: string;
  readonly path: string;
  readonly format: Format;
  /** Saves the text; it rejects when the text was not saved. */
  readonly onSave: () => Promise<void>;
}

/** Of several lab CLIs, the one for this format. */
function useRequest({ workspace, path, format }: Drawn) {
  const clis = useService().data?.labClis ?? [];
  const cli = cliFor(format, clis);
  const lacks = clis.length > 0 && cli === undefined;
  const obstacle = lacks ? `This server does not start labs of ${format}.` : undefined;
  const request: JobRequest = {
    action: 'up',
    workspace,
    topologyPath: path,
    ...(clis.length > 1 && cli !== undefined && { cli }),
    // Most labs are started beside others.
    ...(format === 'netlab' && { multilabId: 'auto' }),
  };
  return { request, obstacle };
}

export interface LabRun {
  /** Why this server cannot start it. */
  readonly obstacle: string | undefined;
  /** The lab in the workspace; undefined if there is none. */
  readonly lab: Lab | undefined;
  /** The job that starts it, or has failed to; undefined when this page has started none. */
  readonly job: Job | undefined;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Starts the lab; a lab that is there is stopped before. */
  readonly start: () => void;
}

export function useLabRun(drawn: Drawn): LabRun {
  const { workspace, onSave } = drawn;
  const { request, obstacle } = useRequest(drawn);
  const [started, setStarted] = useState<string>();
  const listed = useLabs().data?.find((lab) => lab.workspace === workspace);
  const lab = useLab(listed?.id ?? '', listed !== undefined).data ?? listed;
  const job = useJob(started ?? '', started !== undefined).data;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      await onSave();
      if (!lab) return submitJob(request);
      const { id } = await submitJob({
        action: 'down',
        instance: lab.id,
        cli: lab.cli,
        ...(lab.workdir !== null && { workdir: lab.workdir }),
      });
      // Jobs in one directory run one after the other, also when this page is closed.
      return submitJob(request).catch(async (refusal: unknown) => {
        // The lab itself may be in the way: by its name, or as one job too many.
        const { state } = await client.waitForJob(id);
        if (state !== 'success') throw refusal;
        return submitJob(request);
      });
    },
    onSuccess: async ({ id }) => {
      setStarted(id);
      await fetchAgain(['jobs'], ['labs'], ['workspace', workspace]);
    },
  });
  const isRunning = job !== undefined && job.finishedAt === null;
  return {
    obstacle,
    lab,
    job,
    isBusy: isPending || isRunning || (started !== undefined && job === undefined),
    error,
    start: () => mutate(),
  };
}
