import { NumberInput, SimpleGrid } from '@mantine/core';
import type { ImpairmentRequest } from '../../../../../../../src/client/api-types.ts';

const fields = [
  { name: 'delayMs', label: 'Delay', unit: ' ms', max: 600_000 },
  { name: 'jitterMs', label: 'Jitter', unit: ' ms', max: 600_000 },
  { name: 'lossPercent', label: 'Loss', unit: ' %', max: 100 },
  { name: 'duplicatePercent', label: 'Duplicates', unit: ' %', max: 100 },
  { name: 'corruptPercent', label: 'Corruption', unit: ' %', max: 100 },
  { name: 'rateKbps', label: 'Rate (0: no limit)', unit: ' kbit/s', max: 1e9 },
] as const;

export type WantedImpairment = Required<ImpairmentRequest>;

/** The values to begin with. */
export const wantedOf = (known: ImpairmentRequest | null | undefined): WantedImpairment => ({
  delayMs: known?.delayMs ?? 0,
  jitterMs: known?.jitterMs ?? 0,
  lossPercent: known?.lossPercent ?? 0,
  duplicatePercent: known?.duplicatePercent ?? 0,
  corruptPercent: known?.corruptPercent ?? 0,
  rateKbps: known?.rateKbps ?? 0,
});

export const isNothing = (wanted: WantedImpairment): boolean =>
  Object.values(wanted).every((value) => value === 0);

export function ImpairmentFields({
  wanted,
  hasFocus = false,
  onChange,
}: {
  readonly wanted: WantedImpairment;
  /** Whether the user has just asked for the fields. */
  readonly hasFocus?: boolean;
  readonly onChange: (wanted: WantedImpairment) => void;
}) {
  return (
    <SimpleGrid cols={2} spacing="sm">
      {fields.map(({ name, label, unit, max }, index) => (
        <NumberInput
          key={name}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user asks for the fields to type
          autoFocus={hasFocus && index === 0}
          label={label}
          suffix={unit}
          min={0}
          max={max}
          value={wanted[name]}
          onChange={(value) => onChange({ ...wanted, [name]: Number(value) || 0 })}
        />
      ))}
    </SimpleGrid>
  );
}
