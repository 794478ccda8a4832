import { describe, expect, test } from '@jest/globals';
import { phaseOfDown, phasesOfUp } from '../../../../src/engine/namespaces/phases.ts';
import { renderPhases, renderScript } from '../../../../src/engine/namespaces/render-phases.ts';
import { handMadeLab } from '../../../support/engine-lab.ts';

test('a script runs its commands and then its batch inside the namespace, and names it when one fails', () => {
  const script = { namespace: 'lab-7-h1', commands: ['echo 1 >/a', 'echo 2 >/b'], batch: ['link set lo up'] };
  expect(renderScript(script))
    .toBe(`nsenter --net=/run/netns/lab-7-h1 sh -eu <<'EOF' || { echo 'cannot configure lab-7-h1' >&2; exit 1; }
echo 1 >/a
echo 2 >/b
exec ip -batch - <<'END'
link set lo up
END
EOF
`);
});

describe('the text', () => {
  test('is for sh, in order, and says nothing of a phase without commands', () => {
    const text = renderPhases(phasesOfUp(handMadeLab({ links: [['h1', 'h2']] })));
    expect(text).toMatch(
      /^ip -batch - <<'END'\nnetns add lab-default-h1\nnetns add lab-default-h2\nEND\nip -batch/,
    );
    expect(text).toMatch(/\nEND\nEOF\n$/);
    expect(renderPhases([phaseOfDown([])])).toBe('');
    expect(renderPhases([phaseOfDown(['a', 'b'])])).toBe(
      "ip -batch - <<'END'\nnetns del a\nnetns del b\nEND\n",
    );
  });
});
