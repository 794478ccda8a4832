import { labPath } from '../../../../api/service.ts';
import { CommandLine } from '../../../../parts/command-line.tsx';
import type { CaptureRequest } from './capture-session.ts';
import { wiresharkLine, type Reach } from '../../../../parts/shell-words.ts';
import { useReach } from '../../../../parts/use-reach.ts';

/** The same capture as a command for Wireshark on the computer of the user. */
function commandOf(reach: Reach, path: string, { interfaceName: _name, ...filter }: CaptureRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return wiresharkLine(reach, query.size > 0 ? `${path}?${query.toString()}` : path);
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
  const reach = useReach();
  const path = labPath(
    lab,
    'nodes',
    encodeURIComponent(node),
    'interfaces',
    encodeURIComponent(request.interfaceName || 'eth1'),
    'capture',
  );
  return <CommandLine label="In Wireshark on your machine:" command={commandOf(reach, path, request)} />;
}
