import * as z from 'zod';
import { reportFormats, type ReportFormat } from '../../labs/drivers/reports-driver.ts';
import { cutOffWhenStalled, streamSignal } from '../reply/stream.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { topologyErrors } from './lab-topology.ts';
import { labParams } from './labs.ts';

const reportSchema = z
  .object({
    name: z.string().describe('As `GET /labs/{id}/reports/{name}` takes it.'),
    description: z.string().nullable().describe('In a few words; null if the lab CLI gives none.'),
    format: z.enum(reportFormats).describe('How it is written.'),
  })
  .meta({ id: 'ListedReport', description: 'A report that the lab CLI can make of a lab.' });

const listSchema = z
  .object({ reports: z.array(reportSchema).describe('In the order of their names.') })
  .meta({ id: 'ReportList', description: 'The reports that the lab CLI can make of a lab.' });

export const listLabReports = defineRoute({
  method: 'get',
  path: '/labs/:id/reports',
  permission: 'operate',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'labs',
  operationId: 'listLabReports',
  summary: 'The reports that the lab CLI can make of a lab',
  description:
    'The reports that come with netlab (`netlab show reports`). Reports about BGP, IS-IS and the like are listed for each lab, whether or not it uses the protocol. A lab CLI without reports answers 422 `not-supported`.',
  params: labParams,
  query: noQuery,
  replies: { 200: jsonReply('The reports.', listSchema) },
  errors: topologyErrors,
  handler: async ({ lab, res, context: { shutdown } }) => {
    const reports = await lab.reports(streamSignal(res, shutdown));
    return { kind: 'json', status: 200, value: { reports } };
  },
});

const types: Readonly<Record<ReportFormat, string>> = {
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
};

/** A report contains text of the topology, and may come from a template of a user: it runs nothing and loads nothing. */
const reportPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

export const getLabReport = defineRoute({
  method: 'get',
  path: '/labs/:id/reports/:name',
  // The report "mgmt" contains the passwords of devices.
  permission: 'operate',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'labs',
  operationId: 'getLabReport',
  summary: 'A report of a lab',
  description:
    'Made by `netlab report` from the snapshot that was written when the lab was started or created, in about a second. The name is one of the list, or the name of a template of your own, without `.j2`, in the directory `reports` beside the topology. A name that ends in `.html` is a page, one that ends in `.md` is Markdown, any other is plain text. The page may run no scripts and load nothing.',
  params: labParams.extend({
    name: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
        error: 'must be letters, digits, ".", "_" and "-", and begin with a letter or digit',
      })
      .describe('As `GET /labs/{id}/reports` lists it, such as `addressing.html`.'),
  }),
  query: noQuery,
  replies: {
    200: {
      description: 'The report.',
      content: { 'text/plain': 'bytes', 'text/html': 'bytes', 'text/markdown': 'bytes' },
      headers: ['Cache-Control'],
    },
  },
  errors: ['report-not-found', ...topologyErrors],
  handler: async ({ lab, params: { name }, res, context: { shutdown } }) => {
    const { format, bytes } = await lab.report(name, streamSignal(res, shutdown));
    cutOffWhenStalled(res);
    const headers = {
      'Content-Type': types[format],
      'Content-Security-Policy': reportPolicy,
      'Cache-Control': 'no-store',
    };
    return { kind: 'bytes', bytes, headers };
  },
});
