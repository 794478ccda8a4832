import { MantineProvider, Anchor } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, type ComponentType } from 'react';
import { Link, Redirect, Route, Router, Switch, useSearch } from 'wouter';
import { late } from './parts/late.ts';
import { watchMissingParts } from './api/build.ts';
import { queryClient } from './api/query-client.ts';
import { basePath } from './api/service.ts';
import { Frame } from './frame/frame.tsx';
import { LoginGate } from './pages/sign-in/login-gate.tsx';
import { aroundNavigation } from './parts/leaving.ts';
import { places, type Href } from './parts/places.ts';
import { theme } from './theme.ts';
import { Empty } from './parts/empty.tsx';

function NotFound() {
  return (
    <Empty isPage title="Page not found">
      <Anchor component={Link} href="/">
        To the labs
      </Anchor>
    </Empty>
  );
}

/** `/labs` is the address that people expect beside `/labs/demo`. */
function ToLabs() {
  const query = useSearch();
  return <Redirect to={query === '' ? '/' : `/?${query}`} replace />;
}

const Notifications = late(async () => ({
  default: (await import('./frame/notifications.tsx')).Notifications,
}));
const LabPage = late(async () => import('./pages/lab/lab-page.tsx'));
const JobPage = late(async () => import('./pages/job/job-page.tsx'));
const WorkspacePage = late(async () => import('./pages/workspaces/workspace-page.tsx'));
const SnapshotPage = late(async () => import('./pages/snapshots/snapshot-page.tsx'));

/** The component of each place: the type check finds a place without one. */
const pages: Readonly<Record<Href, ComponentType>> = {
  '/': late(async () => import('./pages/labs/labs-page.tsx')),
  '/jobs': late(async () => import('./pages/jobs/jobs-page.tsx')),
  '/workspaces': late(async () => import('./pages/workspaces/workspaces-page.tsx')),
  '/snapshots': late(async () => import('./pages/snapshots/snapshots-page.tsx')),
  '/hosts': late(async () => import('./pages/hosts/hosts-page.tsx')),
  '/users': late(async () => import('./pages/users/users-page.tsx')),
  '/disk': late(async () => import('./pages/disk/disk-page.tsx')),
  '/audit': late(async () => import('./pages/audit/audit-page.tsx')),
  '/settings': late(async () => import('./pages/settings/settings-page.tsx')),
};

export function App() {
  useEffect(watchMissingParts, []);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={null}>
          <Notifications />
        </Suspense>
        <Router base={`${basePath}/ui`} aroundNav={aroundNavigation}>
          <LoginGate>
            <Frame>
              <Switch>
                {places.map(({ href }) => (
                  <Route key={href} path={href} component={pages[href]} />
                ))}
                <Route path="/labs" component={ToLabs} />
                <Route path="/labs/:id">{({ id }) => <LabPage id={id} />}</Route>
                <Route path="/jobs/:id">{({ id }) => <JobPage id={id} />}</Route>
                <Route path="/workspaces/:name">{({ name }) => <WorkspacePage name={name} />}</Route>
                <Route path="/snapshots/:name">{({ name }) => <SnapshotPage name={name} />}</Route>
                <Route component={NotFound} />
              </Switch>
            </Frame>
          </LoginGate>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
