import { Code, Group, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useSession } from '../../../../api/queries.ts';
import { addressOf, labPath } from '../../../../api/service.ts';
import { copyText } from '../../../../parts/copy-text.ts';
import type { CaptureRequest } from './capture-session.ts';
import { Tool } from '../../../../parts/tool.tsx';
import { shellWord } from '../../../../parts/shell-words.ts';

/** The same capture as a command for Wireshark on the computer of the user. */
function commandOf(
  path: string,
  { interfaceName: _name, ...filter }: CaptureRequest,
  user: string | null,
): string {
  const url = new URL(addressOf(path), location.origin);
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const login = user === null ? '' : ` -u ${shellWord(user)}`;
  return `curl -sN${login} ${shellWord(url.href)} | wireshark -k -i -`;
}

export function CaptureCommand({
  lab,
  node,
  request,
}: {
  readonly lab: string;
  readonly node: string;
  readonly request: CaptureRequest;
}) {
  const user = useSession().data?.user ?? null;
  const path = labPath(
    lab,
    'nodes',
    encodeURIComponent(node),
    'interfaces',
    encodeURIComponent(request.interfaceName || 'eth1'),
    'capture',
  );
  const command = commandOf(path, request, user);
  return (
    <div>
      <Text size="xs" c="dimmed">
        In Wireshark on your machine:
      </Text>
      <Group gap={4} wrap="nowrap">
        <Code style={{ overflowX: 'auto', whiteSpace: 'nowrap', flex: 1 }} tabIndex={0}>
          {command}
        </Code>
        <Tool
          label="Copy the command"
          tip="Copy"
          Icon={IconCopy}
          onClick={() => void copyText(command, 'The command')}
        />
      </Group>
    </div>
  );
}
