// The answers that clients got, compared with the disks of the hosts in the end.

/** @typedef {import('./stage.mjs').Machine} Machine */
/** @typedef {{ id: string, action: string, state: string, labels: Record<string, string>, createdAt: string, startedAt: string | null, finishedAt: string | null }} KeptJob */
/** @typedef {{ machine: Machine, job: KeptJob }} Kept */

/** @param {Machine} machine @returns {Kept[]} */
const keptBy = (machine) => machine.host.keptJobs().map((job) => ({ machine, job }));

const msOf = (/** @type {string | null} */ time) => (time === null ? NaN : Date.parse(time));
const waitOf = (/** @type {KeptJob} */ { createdAt, startedAt }) => msOf(startedAt) - msOf(createdAt);

export class Account {
  /** Sentences. @type {string[]} */
  violations = [];
  /** By key: the job that it made. @type {Map<string, string>} */
  accepted = new Map();
  logs = { all: 0, elsewhere: 0, streamed: 0 };
  #askedElsewhere = 0;

  /** @param {string} violation */
  say(violation) {
    this.violations.push(violation);
  }

  /** @param {string} key @param {{ id: string, host: string }} job @param {string} through */
  noteAccepted(key, { id, host }, through) {
    const before = this.accepted.get(key);
    if (before !== undefined && before !== id) this.say(`${key} made ${before}, and then ${id} on ${host}`);
    this.accepted.set(key, id);
    if (host !== through) this.#askedElsewhere += 1;
  }

  /** @param {string} through @param {string} host @param {boolean} streamed whether some of it came before the job had ended */
  noteLog(through, host, streamed) {
    this.logs.all += 1;
    if (through !== host) this.logs.elsewhere += 1;
    if (streamed) this.logs.streamed += 1;
  }

  /** Compares all that was accepted with all that there is. @param {readonly Machine[]} machines */
  close(machines) {
    const kept = machines.flatMap(keptBy);
    const ids = new Set(kept.map(({ job }) => job.id));
    const lost = [...this.accepted].filter(([, id]) => !ids.has(id));
    for (const [key, id] of lost) this.say(`LOST ${id} (${key}) is on no host`);
    /** @type {Map<string, Kept[]>} */
    const byKey = new Map();
    for (const one of kept) {
      const key = one.job.labels['milestone'] ?? one.job.id;
      byKey.set(key, [...(byKey.get(key) ?? []), one]);
    }
    const doubled = [...byKey].filter(([, all]) => all.length > 1);
    for (const [key, all] of doubled)
      this.say(
        `DOUBLED ${key}: ${all.map(({ machine, job }) => `${job.id} on ${machine.host.name}`).join(', ')}`,
      );
    for (const { room, host } of machines)
      for (const name of room.namespaces()) this.say(`${name} is left on ${host.name}`);
    this.#show(machines, kept, lost.length, doubled.length);
  }

  /** @param {readonly Machine[]} machines @param {readonly Kept[]} kept @param {number} lost @param {number} doubled */
  #show(machines, kept, lost, doubled) {
    const ended = (/** @type {string} */ state) => kept.filter(({ job }) => job.state === state).length;
    const rows = machines.map((machine) => {
      const own = kept.filter((one) => one.machine === machine).map(({ job }) => job);
      const ups = own.filter(({ action }) => action === 'up').length;
      return [machine.host.name, { 'runs at once': machine.capacity, up: ups, down: own.length - ups }];
    });
    console.table(Object.fromEntries(rows));
    const waits = kept.map(({ job }) => waitOf(job)).filter((ms) => !Number.isNaN(ms));
    const needless = kept.filter((one) => hadToWait(one) && couldGoElsewhere(one, kept, machines)).length;
    console.log(
      `${this.accepted.size} jobs accepted (${this.#askedElsewhere} times through another host than their own): ${ended('success')} success, ` +
        `${kept.length - ended('success')} not; ${lost} lost, ${doubled} doubled\n` +
        `${this.logs.all} logs followed to their end, ${this.logs.elsewhere} of them through another host, ${this.logs.streamed} of them while the job ran\n` +
        `longest wait for a turn: ${(Math.max(0, ...waits) / 1000).toFixed(1)} s; ${needless} "up" waited on a host while another one had room`,
    );
  }
}

/** Longer than a job takes to be started. @param {Kept} kept */
const hadToWait = ({ job }) => job.action === 'up' && waitOf(job) > 1_000;

/** Whether, as it came, another host ran fewer jobs than it may. @param {Kept} one @param {readonly Kept[]} kept @param {readonly Machine[]} machines */
function couldGoElsewhere({ machine, job }, kept, machines) {
  const at = msOf(job.createdAt);
  // It waited for its host.
  if (machine.wasAway(at, msOf(job.startedAt))) return false;
  return machines.some((other) => {
    if (other === machine || other.wasAway(at)) return false;
    const there = kept.filter(
      (one) => one.machine === other && msOf(one.job.createdAt) <= at && !(msOf(one.job.finishedAt) <= at),
    );
    return there.length < other.capacity;
  });
}
