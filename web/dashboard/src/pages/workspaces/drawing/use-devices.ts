import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../api/queries.ts';
import type { Format } from '../../../parts/drawing/drawing.ts';
import { templateList } from '../queries.ts';
import { devicesFor, languageOf, type DeviceChoice } from './device-choices.ts';
import type { Language } from './form-fields.ts';

/** The language of the files of this format here, and the devices in it. */
export function useDevices(format: Format): {
  readonly language: Language;
  readonly devices: readonly DeviceChoice[];
} {
  const clis = useService().data?.labClis ?? [];
  const templates = useQuery(templateList).data?.templates ?? [];
  const language = languageOf(format, clis);
  return { language, devices: devicesFor(language, clis, templates) };
}
