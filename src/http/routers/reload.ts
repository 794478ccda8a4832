import * as z from 'zod';
import { ConfigError } from '../../config/load-config.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const valueSchema = z.string().nullable();

const changeSchema = z
  .object({
    file: z
      .string()
      .nullable()
      .describe(
        'The settings file; null if the server has none (`LAB_API_SETTINGS_FILE`): then nothing changes.',
      ),
    changed: z
      .array(
        z
          .object({
            variable: z.string().describe('Its name, such as `LAB_API_MAX_RUNNING_JOBS`.'),
            before: valueSchema.describe('Its value until now; null for the default.'),
            after: valueSchema.describe('Its value from now on; null for the default.'),
          })
          .meta({ id: 'ChangedSetting', description: 'A setting that has changed.' }),
      )
      .describe('The settings that have changed.'),
    needsRestart: z
      .array(z.string())
      .describe(
        'Variables that differ from those at the start of the service, and change with its next start.',
      ),
    warnings: z
      .array(z.string())
      .describe('Sentences about settings that have no effect, and a users file or certificate of no use.'),
  })
  .meta({ id: 'SettingsChange', description: 'The effect of a reload.' });

/** @throws AppError `wrong-settings`. */
async function reloaded({ reload }: HttpContext): ReturnType<HttpContext['reload']> {
  try {
    return await reload();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = `the settings stay as they were: ${error.problems.join('; ')}`;
    throw new AppError('wrong-settings', message, { cause: error });
  }
}

export const reloadSettings = defineRoute({
  method: 'post',
  path: '/reload',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'reloadSettings',
  summary: 'Read the settings again',
  description:
    'As SIGHUP does: reads the settings file (`LAB_API_SETTINGS_FILE`), the users file, and the certificate and key; goes on with a new audit file if the old one was moved away. Settings that are wrong change nothing.',
  params: noParams,
  query: hostQuery,
  replies: { 200: jsonReply('The effect.', changeSchema) },
  errors: ['wrong-settings'],
  handler: async ({ context }) => ({ kind: 'json', status: 200, value: await reloaded(context) }),
});
