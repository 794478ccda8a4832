/** Starts the lab of the file that is drawn, and follows it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, JobRequest, Lab } from '../../../../../../src/client/api-types.ts';
import { useJob, useLab, useLabs, useNewestJobs, useService } from '../../../api/queries.ts';
import { fetchAgain } from '../../../api/query-client.ts';
import { submitJob } from '../../../api/service.ts';
import { cliFor } from '../../../parts/drawing/cli-for.ts';
import type { Format } from '../../../parts/drawing/drawing.ts';

interface Drawn {
  readonly workspace: string;
  readonly path: string;
  readonly text: string;
  readonly format: Format;
  /** Saves the text; it rejects when the text was not saved. */
  readonly onSave: () => Promise<void>;
}

/** The lab in the directory of the file, or in one above it; null while the labs are unknown. */
function useLabOf({ workspace, path }: Drawn) {
  const { data: labs, error } = useLabs();
  const parts = path.split('/');
  const places = parts.map((_, at) => parts.slice(0, at)).toReversed();
  const found = places.flatMap((place) => {
    const end = `/${[workspace, ...place].join('/')}`;
    const lab = labs?.find((one) => one.workspace === workspace && one.workdir?.endsWith(end));
    return lab ? [{ lab, place }] : [];
  })[0];
  const lab = useLab(found?.lab.id ?? '', found !== undefined).data ?? found?.lab;
  return { lab, place: found?.place ?? [], areKnown: labs !== undefined, error };
}

/** Of several lab CLIs, the one for this format. */
function useRequest({ workspace, path, format }: Drawn, place: readonly string[]) {
  const clis = useService().data?.labClis ?? [];
  const cli = cliFor(format, clis);
  const lacks = clis.length > 0 && cli === undefined;
  const obstacle = lacks ? `This server does not start labs of ${format}.` : undefined;
  const request: JobRequest = {
    action: 'up',
    workspace,
    ...(place.length > 0 && { workdir: place.join('/') }),
    topologyPath: path.split('/').slice(place.length).join('/'),
    ...(clis.length > 1 && cli !== undefined && { cli }),
    // Most labs are started beside others.
    ...(format === 'netlab' && { multilabId: 'auto' }),
  };
  return { request, obstacle };
}

/** The job that starts or stops the lab of the workspace now, from this page or not. */
function useRunningJob(workspace: string): Job | undefined {
  const jobs = useNewestJobs({ workspace }).data;
  const changing = jobs?.filter((job) => ['up', 'restart', 'down'].includes(job.action));
  const unfinished = changing?.filter(({ finishedAt }) => finishedAt === null) ?? [];
  return unfinished.find(({ state }) => state !== 'queued') ?? unfinished.at(-1);
}

export interface LabRun {
  /** Why it cannot be started. */
  readonly obstacle: string | undefined;
  /** The lab of the file; undefined if there is none, or it is not known yet. */
  readonly lab: Lab | undefined;
  /** The job that starts or stops it, or has failed to start it; undefined if there is none. */
  readonly job: Job | undefined;
  readonly isBusy: boolean;
  /** The refusal of the last start. */
  readonly error: Error | undefined;
  /** Starts the lab, in place of the lab that is there. */
  readonly start: () => void;
}

/** The new lab ends when the lab in its place would have ended. */
function leaseLeft({ expiresAt }: Lab): Pick<JobRequest, 'ttlSeconds'> {
  if (expiresAt === null) return {};
  return { ttlSeconds: Math.max(1, Math.ceil((Date.parse(expiresAt) - Date.now()) / 1000)) };
}

interface Outcome {
  readonly job?: string;
  readonly refusal?: Error;
}

export function useLabRun(drawn: Drawn): LabRun {
  const { workspace, text, onSave } = drawn;
  const { lab, place, areKnown, error } = useLabOf(drawn);
  const { request, obstacle } = useRequest(drawn, place);
  const [outcome, setOutcome] = useState<Outcome>({});
  const running = useRunningJob(workspace);
  const own = useJob(outcome.job ?? '', outcome.job !== undefined).data;
  const isOver = outcome.refusal !== undefined || (own !== undefined && own.finishedAt !== null);
  const [seen, setSeen] = useState(text);
  // An edit answers the failure of the last start.
  if (seen !== text) {
    setSeen(text);
    if (isOver) setOutcome({});
  }
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      await onSave();
      return submitJob({ ...request, ...(lab && { replace: true, ...leaseLeft(lab) }) });
    },
    onMutate: () => setOutcome({}),
    onError: (refusal) => setOutcome({ refusal }),
    onSuccess: async ({ id }) => {
      setOutcome({ job: id });
      await fetchAgain(['jobs'], ['labs'], ['workspace', workspace]);
    },
  });
  const isStarting = outcome.job !== undefined && (own === undefined || own.finishedAt === null);
  const unknown = error ? `The labs cannot be read: ${error.message}` : 'Looking for the lab…';
  return {
    obstacle: obstacle ?? (areKnown ? undefined : unknown),
    lab,
    job: running ?? own,
    isBusy: isPending || isStarting || running !== undefined,
    error: outcome.refusal,
    start: () => mutate(),
  };
}
