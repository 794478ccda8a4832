import { Select } from '@mantine/core';
import { localInputText } from '../lab-actions/lab-words.ts';
import { TextFilter } from './text-filter.tsx';
import { useStateOf } from './use-state-of.ts';

/** As `since` and `until` of the API. */
interface Times {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

interface TimeFilterProps extends Times {
  readonly label: string;
  readonly onApply: (times: Times) => void;
}

const spans = [
  { value: '1h', hours: 1, words: 'in the last hour' },
  { value: '24h', hours: 24, words: 'in the last 24 hours' },
  { value: '7d', hours: 7 * 24, words: 'in the last 7 days' },
  { value: '30d', hours: 30 * 24, words: 'in the last 30 days' },
];
const range = 'range';

/** A moment of the address as the field shows it; empty for one that is relative, or wrong. */
function fieldValue(moment: string | undefined): string {
  const at = new Date(moment ?? '');
  return Number.isNaN(at.getTime()) ? '' : localInputText(at);
}

interface MomentProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onApply: (value: string | undefined) => void;
}

function MomentFilter({ label, value, onApply }: MomentProps) {
  return (
    <TextFilter
      type="datetime-local"
      label={label}
      width={190}
      value={fieldValue(value)}
      onApply={(text) => onApply(text === '' ? undefined : new Date(text).toISOString())}
    />
  );
}

/** Selects by a time: a span before now, or from one moment to another. */
export function TimeFilter({ label, since, until, onApply }: TimeFilterProps) {
  const span = until === undefined ? spans.find(({ value }) => value === since) : undefined;
  const [isRange, setRange] = useStateOf(!span && (since ?? until) !== undefined, `${since} ${until}`);
  const choose = (value: string | null): void => {
    setRange(value === range);
    if (value !== range) onApply({ since: value ?? undefined, until: undefined });
    else if (span) onApply({ since: new Date(Date.now() - span.hours * 3_600_000).toISOString(), until });
  };
  return (
    <>
      <Select
        size="xs"
        label={label}
        placeholder="any time"
        data={[
          ...spans.map(({ value, words }) => ({ value, label: words })),
          { value: range, label: 'from … to …' },
        ]}
        value={isRange ? range : (since ?? null)}
        onChange={choose}
        w={160}
        clearable
      />
      {isRange && (
        <>
          <MomentFilter label="From" value={since} onApply={(moment) => onApply({ since: moment, until })} />
          <MomentFilter label="To" value={until} onApply={(moment) => onApply({ since, until: moment })} />
        </>
      )}
    </>
  );
}
