/** Prints phases as text for `sh`: the output of `up --dry-run` and `down --dry-run` is the same text that runs. */
import type { BatchPhase, NamespaceScript, Phase } from './phases.ts';

/** `nsenter`, because `ip netns exec` copies every mount. */
export function renderScript({ namespace, commands, batch }: NamespaceScript): string {
  return [
    `nsenter --net=/run/netns/${namespace} sh -eu <<'EOF' || { echo 'cannot configure ${namespace}' >&2; exit 1; }`,
    ...commands,
    "exec ip -batch - <<'END'",
    ...batch,
    'END',
    'EOF',
    '',
  ].join('\n');
}

function renderBatch({ lines }: BatchPhase): string {
  return lines.length === 0 ? '' : ["ip -batch - <<'END'", ...lines, 'END', ''].join('\n');
}

/** Every line ends with a line feed; a phase without commands is an empty text. */
export function renderPhases(phases: readonly Phase[]): string {
  const texts = phases.map((phase) =>
    phase.kind === 'scripts' ? phase.scripts.map(renderScript).join('') : renderBatch(phase),
  );
  return texts.join('');
}
