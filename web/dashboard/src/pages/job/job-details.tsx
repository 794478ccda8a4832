import { Badge, Tabs, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Job, OutputsResult, TestsResult } from '../../../../../src/client/api-types.ts';
import { useArtifacts } from '../../api/queries.ts';
import { Artifacts } from '../../parts/artifacts.tsx';
import { plainText } from './log/ansi.ts';
import { LogView } from './log/log-view.tsx';
import { Request } from './request.tsx';
import { picturesOf, ScenarioPicture } from './scenario-picture.tsx';
import { Tests } from './tests.tsx';
import classes from './job.module.css';

/** The output of a command in each node. */
function Outputs({ result }: { readonly result: OutputsResult }) {
  return (
    <Stack gap="md">
      {!result.complete && <Text size="sm">The command did not finish: some nodes may be missing here.</Text>}
      {result.nodes.map(({ node, output, truncated, exitCode }) => (
        <section key={node}>
          <Group gap="xs" mb={4}>
            <Title order={2} size="h5">
              {node}
            </Title>
            {exitCode !== null && (
              <Badge color={exitCode === 0 ? 'green' : 'red'}>exit code {exitCode}</Badge>
            )}
          </Group>
          <Code block tabIndex={0}>
            {output === '' ? 'no output' : output.split('\n').map(plainText).join('\n')}
          </Code>
          {truncated && (
            <Text size="xs" c="dimmed">
              The log has the rest of the output.
            </Text>
          )}
        </section>
      ))}
    </Stack>
  );
}

function testsSummary({ passed, failed, warnings }: TestsResult): string {
  const parts = [
    passed !== null && passed > 0 && `${passed} ✓`,
    failed > 0 && `${failed} ✗`,
    warnings > 0 && `${warnings} !`,
  ];
  return parts.filter((part) => part !== false).join(' ');
}

const isTests = (result: Job['result']): result is TestsResult => result?.kind === 'tests';
const isOutputs = (result: Job['result']): result is OutputsResult => result?.kind === 'outputs';

/** The log, test results, outputs, artifacts and the request. */
export function JobDetails({ job }: { readonly job: Job }) {
  const [tab, setTab] = useState<string | null>('log');
  const artifacts = useArtifacts(job.id, job.state !== 'queued');
  const files = artifacts.data?.artifacts ?? [];
  const pictures = picturesOf(job, files);
  const { result } = job;
  const mark = (text: string) => (
    <Badge size="sm" variant="default" fw={500}>
      {text}
    </Badge>
  );
  return (
    <Tabs value={tab} onChange={setTab} className={classes['tabs'] ?? ''} keepMounted={false}>
      <Tabs.List mb="xs">
        <Tabs.Tab value="log">Log</Tabs.Tab>
        {isTests(result) && (
          <Tabs.Tab value="tests" rightSection={mark(testsSummary(result))}>
            Tests
          </Tabs.Tab>
        )}
        {isOutputs(result) && (
          <Tabs.Tab value="outputs" rightSection={mark(String(result.nodes.length))}>
            Nodes
          </Tabs.Tab>
        )}
        {pictures.map(({ path, label }) => (
          <Tabs.Tab key={path} value={path}>
            {label}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value="artifacts" rightSection={files.length > 0 ? mark(String(files.length)) : undefined}>
          Artifacts
        </Tabs.Tab>
        <Tabs.Tab value="request">Request</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="log" className={classes['panel'] ?? ''} data-fill>
        <LogView key={job.id} job={job} />
      </Tabs.Panel>
      {isTests(result) && (
        <Tabs.Panel value="tests">
          <Tests result={result} />
        </Tabs.Panel>
      )}
      {isOutputs(result) && (
        <Tabs.Panel value="outputs">
          <Outputs result={result} />
        </Tabs.Panel>
      )}
      {pictures.map((picture) => (
        <Tabs.Panel key={picture.path} value={picture.path}>
          <ScenarioPicture job={job} picture={picture} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="artifacts">
        <Artifacts job={job} />
      </Tabs.Panel>
      <Tabs.Panel value="request">
        <Request job={job} />
      </Tabs.Panel>
    </Tabs>
  );
}
