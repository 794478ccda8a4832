import { Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { useJob } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { JobDetails } from './job-details.tsx';
import { JobHead, TimesBar } from './job-head.tsx';
import { JobOutcome } from '../../parts/job-outcome.tsx';
import classes from './job.module.css';

export default function JobPage({ id }: { readonly id: string }) {
  const { data: job, error, refetch } = useJob(id);
  const [, go] = useLocation();
  if (!job) {
    if (error instanceof ServiceError && error.status === 404)
      return <Empty title="Job not found">It was removed or never existed: {id}</Empty>;
    if (error)
      return <ProblemNotice error={error} title="The job cannot be shown" onRetry={() => void refetch()} />;
    return <Loading />;
  }
  return (
    <Stack gap="sm" className={classes['page']}>
      <JobHead job={job} onGone={() => go('/jobs')} onNew={(next) => go(`/jobs/${next.id}`)} />
      <TimesBar job={job} />
      <JobOutcome job={job} />
      <JobDetails job={job} />
    </Stack>
  );
}
