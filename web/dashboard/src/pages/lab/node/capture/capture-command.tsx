import { ActionIcon, Code, Group, Text, Tooltip } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useSession } from '../../../../api/queries.ts';
import { addressOf, labPath } from '../../../../api/service.ts';
import { copyText } from '../../../../parts/copy-text.ts';
import type { CaptureRequest } from './capture-session.ts';

/** One word of a line of a shell, whatever is in it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same capture, live in Wireshark on the machine of whoever reads this. */
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
        <Tooltip label="Copy">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Copy the command"
            onClick={() => void copyText(command, 'The command')}
          >
            <IconCopy size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  );
}
