import { Box } from '@mantine/core';
import type { Job } from '../../../../../src/client/api-types.ts';
import { useArtifactText } from '../../api/queries.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import classes from './job.module.css';

/** The pictures of a scenario, with the words that stand for them. */
const pictures = [
  {
    path: 'matrix.svg',
    label: 'Matrix',
    alt: 'How long each flow was without traffic during each fault. The tab Tests tells the verdicts in words.',
  },
  {
    path: 'timeline.svg',
    label: 'Timeline',
    alt: 'When each flow was without traffic, from each fault on. The tab Tests tells the verdicts in words.',
  },
] as const;

type Picture = (typeof pictures)[number];

/** The pictures that a finished scenario has among its artifacts. */
export function picturesOf(
  { action, finishedAt }: Job,
  artifacts: readonly { readonly path: string }[],
): readonly Picture[] {
  if (action !== 'scenario' || finishedAt === null) return [];
  return pictures.filter((picture) => artifacts.some(({ path }) => path === picture.path));
}

/** In an image, an SVG runs no scripts and loads nothing. */
export function ScenarioPicture({ job, picture }: { readonly job: Job; readonly picture: Picture }) {
  const { data, error, refetch } = useArtifactText(job.id, picture.path);
  if (error)
    return (
      <ProblemNotice error={error} title="The picture cannot be loaded" onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading h={160} />;
  return (
    <Box className={classes['picture'] ?? ''} role="group" aria-label={picture.label} tabIndex={0}>
      <img src={`data:image/svg+xml,${encodeURIComponent(data)}`} alt={picture.alt} />
    </Box>
  );
}
