// A user of a cluster: it reads lists and logs as well, each time through another host.
import { User } from '../user.mjs';

/** @typedef {import('./machines.mjs').Host} Host */

class ClusterUser extends User {
  async list() {
    const reply = await this.service.request('GET', '/jobs?limit=50');
    this.expect('GET /jobs', reply);
    if (reply.status === 200) for (const job of reply.body.jobs) this.means.ledger.see(job);
  }

  async readLog() {
    const { ledger, random } = this.means;
    const id = this.recent;
    if (id === undefined) return;
    const host = /** @type {Host} */ (this.service);
    const isFollowed = random() < 0.5;
    const began = new Date().toISOString();
    const query = `output=text${isFollowed ? '&follow=true' : ''}`;
    const reply = await host.request('GET', `/jobs/${id}/log?${query}`);
    this.expect(isFollowed ? 'log, followed' : 'log', reply);
    if (reply.status !== 200) return;
    const when = `${began} to ${new Date().toISOString()}`;
    if (isFollowed) ledger.followed.push({ id, through: host.name, text: reply.body, when });
    /** @type {import('./requests.mjs').Task['ends']} */
    const ends = ledger.submitted.get(ledger.accepted.get(id) ?? '')?.ends ?? [];
    if (!ends.some(({ log }) => log.startsWith(reply.body)))
      ledger.violations.push(
        `the log of ${id} through ${host.name} is not what it prints: "${reply.body.slice(0, 80)}"`,
      );
  }
}

/** @param {ConstructorParameters<typeof User>[0]} means */
export function clusterUser(means) {
  const user = new ClusterUser(means);
  const [submit, submitOnce] = [async () => user.submit(), async () => user.submitOnce()];
  const readLog = async () => user.readLog();
  const others = [async () => user.cancel(), async () => user.look(), async () => user.list()];
  return { user, deeds: [submit, submit, submitOnce, submitOnce, readLog, readLog, ...others] };
}
