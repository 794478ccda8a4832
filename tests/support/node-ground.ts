/** A lab that is up without being there: programs in place of netlab, Docker, `ip` and `tc`, which run right here what is to run in a node. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeGround, type Ground } from './service.ts';

const container = (name: string) => ({
  device: 'frr',
  connection: 'docker',
  provider: 'clab',
  provider_name: `clab-demo-${name}`,
  status: 'Up 4 seconds',
});
const vm = {
  device: 'vyos',
  connection: 'network_cli',
  provider: 'libvirt',
  provider_name: 'demo_vm',
  status: 'running',
};
const half = { dir: '/labs/half', name: 'half', providers: ['clab'], status: 'starting provider clab' };

/** Its first words are kept in `runs`, as those of the others. */
const note = `printf '%s\\n' "\${0##*/} $*" >>"\${0%/*}/runs"`;

interface NodeGroundOptions {
  /** The nodes that are containers, besides `vm`, which is none. One that is called `gone` is not there. */
  readonly containers?: readonly string[];
  /** The groups of the topology; without them, the lab has no topology. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

const programsOf = (dir: string, { containers = ['r1'], groups = {} }: NodeGroundOptions) => {
  const lab = { dir, name: 'demo', providers: ['clab'], status: 'started' };
  const nodes = { ...Object.fromEntries(containers.map((name) => [name, container(name)])), vm };
  const members = Object.entries(groups).map(([name, its]) => [name, { members: its }]);
  const topology = { nodes, links: [], groups: Object.fromEntries(members) };
  return {
    netlab: `case "$*" in
'status --all --format json') echo '${JSON.stringify({ default: lab, half })}' ;;
inspect*) echo '${JSON.stringify(topology)}' ;;
'status --instance half --format json') echo '{"error": "Lab is not started, cannot display node/tool status"}' ;;
status*) echo '${JSON.stringify({ ...lab, nodes })}' ;;
*'--dry-run r1') echo "DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'sh', '-i']" ;;
connect*) exec sh -i ;;
esac`,
    // A container goes on with a program when the client is gone: that program is in a session of its own.
    docker: `${note}
case $1 in
container) printf '/clab-demo-r1\\trunning\\t1\\n'; exit 0 ;;
logs)
  case "$*" in *gone*) echo 'Error response from daemon: No such container: gone' >&2; exit 1 ;; esac
  cat "\${0%/*}/printed"; echo err >&2
  case "$*" in *--follow*) exec sleep 1000 ;; esac
  exit 0 ;;
esac
shift
while :; do
  case $1 in
  --env) export "$2"; shift 2 ;;
  --*) shift ;;
  *) break ;;
  esac
done
export CONTAINER="$1"
case $1 in *gone) echo 'Error response from daemon: No such container: gone' >&2; exit 1 ;; esac
shift
exec setsid --wait "$@"`,
    ip: `case $1 in
netns) shift 3; exec "$@" ;;
*) echo '[{"ifname":"lo"},{"ifname":"eth1"}]' ;;
esac`,
    tc: `${note}
case "$*" in
*show*) cat "\${0%/*}/qdisc.json" ;;
*) if [ -e "\${0%/*}/no-netem" ]; then echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2; fi ;;
esac`,
    tcpdump: `${note}
case "$*" in
*nobody*) printf head; echo "tcpdump: Couldn't change to 'tcpdump' uid=102 gid=106: Operation not permitted" >&2; exit 1 ;;
*bad*) echo "tcpdump: can't parse filter expression: syntax error" >&2; exit 1 ;;
*late*) sleep 1 ;;
esac
echo 'tcpdump: listening on eth1' >&2
trap 'printf end; exit 0' TERM
case "$*" in *lost*) trap "trap 'printf end; exit 0' TERM" TERM ;; esac
printf head
while :; do
  case "$*" in *busy*) printf packet ;; esac
  sleep 0.1
done`,
  };
};

export interface NodeGround {
  readonly ground: Ground;
  readonly env: Readonly<Record<string, string>>;
  /** What was run of Docker, `tc` and `tcpdump`, with the arguments. */
  readonly runs: () => string[];
  /** What a node has printed on its standard output. */
  readonly setPrinted: (text: string) => void;
  /** What `tc` says of an interface. */
  readonly setQdiscs: (qdiscs: unknown) => void;
  /** As a kernel without sch_netem. */
  readonly loseNetem: () => void;
}

/** A variable that everything has that was started for the service of this ground. */
export const groundVariable = 'FAKE_LAB_STATE';

/** Each program in a node has the name of its container in `CONTAINER`. */
export function makeNodeGround(options: NodeGroundOptions = {}): NodeGround {
  const ground = makeGround();
  const directory = path.join(ground.root, 'programs');
  mkdirSync(directory);
  const dir = options.groups ? ground.workdir : '/labs/demo';
  if (options.groups) writeFileSync(path.join(dir, 'netlab.snapshot.pickle'), '');
  for (const [name, script] of Object.entries(programsOf(dir, options))) {
    writeFileSync(path.join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(directory, name), 0o755);
  }
  const write = (name: string, text: string): void => writeFileSync(path.join(directory, name), text);
  write('runs', '');
  write('printed', 'out\n');
  write('qdisc.json', '[{"kind":"noqueue","root":true,"options":{}}]');
  return {
    ground,
    env: {
      PATH: `${directory}:${ground.env['PATH']}`,
      LAB_API_CLI: path.join(directory, 'netlab'),
      LAB_API_STATUS_MAX_AGE: '1h',
    },
    runs: () =>
      readFileSync(path.join(directory, 'runs'), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    setPrinted: (text) => write('printed', text),
    setQdiscs: (qdiscs) => write('qdisc.json', JSON.stringify(qdiscs)),
    loseNetem: () => write('no-netem', ''),
  };
}
