/** Whatever strangers send, the metrics do not grow with it. */
import http from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/http-client.ts';
import { samplesOf } from '../support/scraped.ts';
import { startService, type RunningService } from '../support/service.ts';

/** Each method with each target, several times. */
const requests = 2_000;
const methods = http.METHODS.filter((method) => method !== 'CONNECT');
const targets = [
  (n: number) => `/${n}/${n.toString(36)}`,
  (n: number) => `/jobs/job-${n}-abcdef`,
  (n: number) => `/jobs/${n}/log?follow=true&n=${n}`,
  (n: number) => `/status/lab%22%7D${n}`,
  (n: number) => `/metrics?n=${n}`,
  (n: number) => `/__proto__/constructor/${n}`,
  (n: number) => `/%${(n % 256).toString(16).padStart(2, '0')}/..;/${n}`,
];

describe(`${requests} hostile requests`, () => {
  let service: RunningService;
  let text: string;

  beforeAll(async () => {
    service = await startService();
    const { host } = new URL(service.url);
    const lineOf = (n: number): string =>
      `${methods[n % methods.length]} ${targets[n % targets.length]?.(n)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    // All of a connection at once, whatever is answered.
    const connections = Array.from({ length: 20 }, async (_, first) => {
      const numbers = Array.from({ length: requests / 20 }, (_each, n) => n * 20 + first);
      return sendRaw(service.url, numbers.map(lineOf).join(''));
    });
    await Promise.all(connections);
  }, 120_000);

  // A reply counts when its connection has taken it, which the client may know first. Each scrape is in the next one.
  test('are all counted', async () => {
    let scrapes = 0;
    await eventually(`${requests} requests are counted`, async () => {
      ({ text } = await service.get('/metrics'));
      const counted = samplesOf(text).filter(({ name }) => name === 'lab_api_http_requests_total');
      scrapes += 1;
      return counted.reduce((sum, { value }) => sum + value, 0) === requests + scrapes - 1;
    });
  });

  test('have no label that was not there before them', () => {
    const counted = samplesOf(text).filter(({ name }) => name === 'lab_api_http_requests_total');
    const valuesOf = (label: string): string[] => [
      ...new Set(counted.map(({ labels }) => labels[label] ?? '')),
    ];
    expect(valuesOf('route').toSorted()).toEqual(
      ['/jobs/:id', '/jobs/:id/log', '/metrics', '/status/:instance', 'unmatched'].toSorted(),
    );
    expect(valuesOf('method').toSorted()).toEqual(
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'other'].toSorted(),
    );
    expect(valuesOf('status').filter((status) => !/^[2-5]\d\d$|^aborted$/.test(status))).toEqual([]);
  });

  test('leave a text that a scraper reads in no time', () => {
    expect(text.length).toBeLessThan(200_000);
  });
});
