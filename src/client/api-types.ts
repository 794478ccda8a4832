/** Stand-in until the document is there. */
export type JobState = 'queued' | 'running' | 'canceling' | 'success' | 'failed' | 'canceled';
export interface Job {
  id: string;
  action: string;
  state: JobState;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  error: string | null;
  workdir: string;
  exitCode: number | null;
  signal: string | null;
  instance: string | null;
  labels: Record<string, string>;
  requestedBy: string | null;
  queuePosition: number | null;
  progress: { message: string; at: string } | null;
  warnings: string[];
}
export interface JobPage {
  jobs: Job[];
  nextCursor: string | null;
}
export interface Problem {
  detail: string;
  code: string;
  requestId: string;
  errors: { field: string; message: string }[];
}
export type JobRequest = { action: string } & Record<string, unknown>;
