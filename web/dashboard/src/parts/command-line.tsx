import { Code, Group, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from './copy-text.ts';
import { Tool } from './tool.tsx';

/** A command for the computer of the user, with a button that copies it. */
export function CommandLine({ label, command }: { readonly label: string; readonly command: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
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
