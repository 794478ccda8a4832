/** Our side: a job for everything, which is asked for again by its id. */
import { call, endOf } from '../lib/http.mjs';
import { restartableService } from '../lib/restartable-service.mjs';
import { atRest, halfUp, running, topologyOf } from './labs.mjs';
import { containerlabVersion, quoted, rateOf } from './sides.mjs';

/** @typedef {import('./sides.mjs').Lab} Lab */

/** How a job ended. @param {{ state: string, error: string | null }} job */
const told = ({ state, error }) => `\`${state}\`${error === null ? '' : ` (${quoted(error)})`}`;

class LabApi {
  #service;

  /** @param {string} directory */
  constructor(directory) {
    this.#service = restartableService(directory, { LAB_API_CLI: 'containerlab' });
  }

  get url() {
    return this.#service.url();
  }

  async start() {
    await this.#service.start();
    const { version } = await call(`${this.url}/`);
    return `lab-api ${version} (containerlab ${containerlabVersion(process.env)})`;
  }

  /** Jobs outlive the service, so they end first. */
  async end() {
    const { jobs } = await call(`${this.url}/jobs?state=queued,running,canceling`).catch(() => ({
      jobs: [],
    }));
    for (const { id } of jobs) {
      await call(`${this.url}/jobs/${id}/cancel`, { force: true }).catch(() => undefined);
      await endOf(this.url, id).catch(() => undefined);
    }
    await this.#service.kill();
  }

  /** @param {Lab & { isBroken?: boolean }} lab @returns {Promise<string>} the id of the job */
  async #up(lab) {
    const body = { action: 'up', workspace: lab.name, topology: topologyOf(lab) };
    return (await call(`${this.url}/jobs`, body)).id;
  }

  /** How the job ends, and what runs then. @param {Lab} lab @param {string} id */
  async #outcome({ name }, id) {
    const job = await endOf(this.url, id);
    await atRest(name);
    const log = await (await fetch(`${this.url}/jobs/${id}/log?output=text&plain=true`)).text();
    const isWhole = ['h1', 'h2'].every((node) => log.includes(`name=${node}`));
    return `the job goes on to ${told(job)}; its log is ${isWhole ? '' : 'not '}whole; ${await running(name)}`;
  }

  /** @param {Lab} lab */
  async killed(lab) {
    const id = await this.#up(lab);
    await halfUp(lab.name);
    await this.#service.kill();
    await this.#service.start();
    return this.#outcome(lab, id);
  }

  /** @param {Lab} lab */
  async clientGone(lab) {
    const id = await this.#up(lab);
    const leaving = new AbortController();
    const log = await fetch(`${this.url}/jobs/${id}/log?follow=true`, { signal: leaving.signal });
    await halfUp(lab.name);
    leaving.abort();
    await log.text().catch(() => undefined);
    return this.#outcome(lab, id);
  }

  /** @param {Lab} lab */
  async twice(lab) {
    const ids = await Promise.all([this.#up(lab), this.#up(lab)]);
    const ends = await Promise.all(ids.map(async (id) => endOf(this.url, id)));
    ends.sort((one, other) => one.startedAt.localeCompare(other.startedAt));
    const [first, second] = ends;
    const how = first.finishedAt <= second.startedAt ? 'one after the other' : 'at the same time';
    return `202, 202; the jobs run ${how}: ${ends.map(told).join(', then ')}; ${await running(lab.name)}`;
  }

  /** @param {Lab} lab */
  async broken(lab) {
    const id = await this.#up({ ...lab, isBroken: true });
    const { state, error } = await endOf(this.url, id);
    return `202, then the job is \`${state}\`; \`error\`: ${quoted(error)}`;
  }

  /** @param {Lab} lab */
  async list(lab) {
    const job = await endOf(this.url, await this.#up(lab));
    if (job.state !== 'success') return `not measured: the deploy is ${told(job)}`;
    const kept = await rateOf(`${this.url}/labs`, {});
    const fresh = await rateOf(`${this.url}/labs`, { 'Cache-Control': 'no-cache' });
    return `${kept} requests a second (an answer is kept for 2 s, and \`Age\` says how old it is); ${fresh} with \`Cache-Control: no-cache\``;
  }
}

/** @param {string} directory where the service keeps its data @returns {import('./sides.mjs').Side} */
export function labApi(directory) {
  const service = new LabApi(directory);
  return {
    word: 'own',
    start: async () => service.start(),
    end: async () => service.end(),
    answer: async (question, lab) => service[question](lab),
  };
}
