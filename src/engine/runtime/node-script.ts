/**
 * The first process of a node: a shell that makes the root file system of the node, starts its programs, and reaps
 * orphans until it gets SIGTERM. It runs in the network namespace of the node, in mount, UTS, IPC and PID namespaces of
 * its own. It sees the root file system of an image or of the machine, and writes into a layer in memory, which ends with it.
 */
import { frrScript, type NodeRoot } from './images.ts';
import type { ContainerLab, ContainerNode } from './lab-file.ts';
import { linkInterfaces } from './links.ts';

/** A word for sh. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Writes the identity of the process: its pid and its start time (proc(5), field 22 of stat), both as the machine sees
 * them, because /proc is still that of the machine.
 */
const recordIdentity = `read -r pid rest </proc/self/stat
set -- \${rest##*) }
echo "$pid \${20}" >"$directory/identity"`;

/** How much a node may write. */
const layerSize = '512m';

/**
 * The root of a node of an ordinary user. In the user namespace, the files of the machine have no owner, and a layer above
 * them could not be written. So the root is in memory: the programs are those of the machine, \`/etc\` is a copy of its
 * readable files, and the rest is empty.
 */
const bareRoot = `for name in bin sbin lib lib32 lib64 libx32 opt usr; do
  if [ -L "/$name" ]; then
    cp -d "/$name" "$mnt/root/"
  elif [ -d "/$name" ]; then
    mkdir "$mnt/root/$name"
    mount --rbind "/$name" "$mnt/root/$name"
  fi
done
for name in proc sys dev run tmp root home srv mnt media var var/lib var/log var/tmp; do
  mkdir "$mnt/root/$name"
done
ln -s /run "$mnt/root/var/run"
cp -dR --preserve=mode /etc "$mnt/root/" 2>/dev/null || :`;

/** Without the names of namespaces, which would be copied for every node: in a lab of many nodes most of all its mounts. */
const makeLayer = `umount -l /run/netns 2>/dev/null || :
mnt=$directory/mnt
mkdir "$mnt"
mount -t tmpfs -o mode=755,size=${layerSize} lab "$mnt"
mkdir "$mnt/upper" "$mnt/work" "$mnt/root" "$mnt/private" "$mnt/proc"`;

const overlay = (lower: string, more = ''): string =>
  `mount -t overlay overlay -o "lowerdir=${lower},upperdir=$mnt/upper,workdir=$mnt/work${more}" "$mnt/root"`;

const machineRoot = `if [ -O / ]; then
  ${overlay('/')}
else
  mount --bind "$mnt/root" "$mnt/root"
  ${bareRoot}
fi`;

/**
 * The options of the mount name the tree of the image, by which `isInUse` (src/engine/images/trees.ts) finds it. A path with a
 * comma or a colon cannot be such an option, so the tree is mounted below a path without them first. In a user namespace,
 * directories of the image can be removed with `userxattr` only, which a layer in memory has from Linux 6.6 on.
 */
const imageRoot = ({ directory, tree }: NonNullable<NodeRoot['image']>): string => `mkdir "$mnt/${tree}"
mount --bind ${quoted(directory)} "$mnt/${tree}"
[ ! -O / ] && ${overlay(`$mnt/${tree}`, ',userxattr')} 2>/dev/null || ${overlay(`$mnt/${tree}`)}`;

/**
 * The root file system, and the machine's own in `/.machine` until the node has what it needs of it. The move makes the
 * root that of the mount namespace, so that `nsenter` arrives there; `pivot_root` would do the same, and Docker forbids
 * it in its containers. The script goes on inside, where an absolute link leads to a file of the node.
 */
const enterRoot = `cd "$mnt/root"
mkdir -p .machine
mount --rbind / .machine
mount --move . /
exec chroot . /bin/sh "/.machine$directory/inside"
`;

/**
 * Directories with the private data of the machine are empty inside. In a container of an ordinary user, the kernel refuses a new
 * sysfs, which would show what the container hides.
 */
const fillRoot = `mkdir -p /proc /sys /dev /run /tmp /etc
mount -t proc proc /proc
mount -t sysfs sysfs /sys 2>/dev/null || mount --rbind /.machine/sys /sys
mount -t tmpfs -o mode=755,size=1m dev /dev
for name in null zero full random urandom tty net/tun; do
  [ -e "/.machine/dev/$name" ] || continue
  mkdir -p "$(dirname "/dev/$name")"
  : >"/dev/$name"
  mount --bind "/.machine/dev/$name" "/dev/$name"
done
mkdir /dev/pts /dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts
mount -t tmpfs -o mode=1777,size=64m shm /dev/shm
ln -s pts/ptmx /dev/ptmx
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr`;

const emptyPrivate = `for name in /run /tmp /root /home /srv /mnt /media /var/tmp; do
  [ -d "$name" ] || continue
  mkdir -p "/.machine$directory/mnt/private$name"
  mount --bind "/.machine$directory/mnt/private$name" "$name"
done
chmod 1777 /tmp /var/tmp`;

/**
 * The settings of a network namespace that containers have (docker run, containerlab). In a container, the /proc/sys of the
 * machine is read-only.
 */
const makeNetwork = `mount -t proc proc "$mnt/proc"
net=$mnt/proc/sys/net
echo 1 >"$net/ipv4/ip_forward"
for name in "$net"/ipv4/conf/*/rp_filter; do echo 0 >"$name"; done
[ ! -d "$net/ipv6" ] || for name in all default; do echo 0 >"$net/ipv6/conf/$name/disable_ipv6"; done
umount "$mnt/proc"
ip -batch -`;

/**
 * A user namespace of an ordinary user has one user and one group: FRR's are the same. The package's list of daemons
 * is not readable there: the list here has zebra alone.
 */
const makeFrrUser = `if [ ! -O /.machine ]; then
  sed -i 's/^\\(frr:[^:]*\\):[0-9]*:[0-9]*:/\\1:0:0:/' /etc/passwd
  sed -i 's/^\\(frr\\|frrvty\\):\\([^:]*\\):[0-9]*:/\\1:\\2:0:/' /etc/group
  mkdir -p /etc/frr
  [ -r /etc/frr/daemons ] || printf '%s\\n' vtysh_enable=yes 'zebra_options="-A 127.0.0.1"' >/etc/frr/daemons
fi`;

/** \`/etc/frr\` as the package ships it, and nothing of the daemons that may run on the machine itself. */
const makeFrr = `mkdir -p /run/frr /var/log/frr
cp /etc/frr/daemons /run/daemons
rm -rf /etc/frr /var/lib/frr
mkdir -p -m 775 /etc/frr /var/lib/frr
mv /run/daemons /etc/frr/daemons
: >/etc/frr/frr.conf
echo 'service integrated-vtysh-config' >/etc/frr/vtysh.conf
chown -R frr:frr /run/frr /etc/frr /var/lib/frr /var/log/frr`;

/**
 * netlab configures a node as soon as it was deployed: so this waits until every daemon has opened the socket of its
 * command line, and says which one did not.
 */
const awaitFrr = `for daemon in zebra $(sed -n 's/^\\([a-z0-9]*d\\)=yes.*/\\1/p' /etc/frr/daemons); do
  tries=0
  until [ -S "/run/frr/$daemon.vty" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 200 ] || { echo "late: $daemon" >&3; break; }
    sleep 0.05
  done
done`;

function bindLines({ binds }: ContainerNode): string[] {
  return binds.flatMap(({ source, target, isReadOnly }) => {
    const [from, to] = [quoted(`/.machine${source}`), quoted(target)];
    return [
      `mkdir -p "$(dirname ${to})"`,
      `if [ -d ${from} ]; then mkdir -p ${to}; elif [ ! -e ${to} ]; then : >${to}; fi`,
      `mount --bind ${from} ${to}`,
      // In a user namespace, the options of a file system of the machine may be locked.
      ...(isReadOnly ? [`mount -o remount,bind,ro ${to} || [ ! -O /.machine ]`] : []),
    ];
  });
}

function networkLines(node: ContainerNode, lab: ContainerLab): string[] {
  const { gateway } = lab;
  const { ipv4, ipv6 } = node.management;
  const addresses = [ipv4, ipv6].filter((address) => address !== undefined);
  return [
    'link set lo up',
    ...linkInterfaces(lab, node).map((name) => `link set dev ${name} up`),
    ...(addresses.length === 0 ? [] : ['link set eth0 up']),
    ...addresses.map((address) => `addr add ${address} dev eth0`),
    ...(ipv4 === undefined || gateway === undefined
      ? []
      : [`route add default via ${gateway.split('/')[0]}`]),
  ];
}

/** Nothing of the job, and of this program. */
export const ownEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
};

/**
 * The variables of a node as words for sh, on one line. They are for its programs, and not for the script: that one
 * needs a PATH of its own.
 */
export function environmentWords({ root, env }: ContainerNode): string {
  const all = { ...ownEnvironment, ...root.image?.start.env, ...env };
  return Object.entries(all)
    .map(([name, value]) => quoted(`${name}=${value}`))
    .join(' ');
}

/** Before a command. */
const inEnvironment = (node: ContainerNode): string => `env -i ${environmentWords(node)}`;

/** Words of the node's own commands; a failed one is for its log, as with containerlab. */
function commandLines(node: ContainerNode): string[] {
  const run = `${inEnvironment(node)} sh -c`;
  return node.exec.map((command) => `${run} ${quoted(command)} 3>&- || echo ${quoted(`failed: ${command}`)}`);
}

/** Docker gives every container such a file. */
const makeHosts = `[ -s /etc/hosts ] || printf '%s\\n' '127.0.0.1 localhost' '::1 localhost' >/etc/hosts`;

/** Starts the program of the image, or FRR of the machine; the node goes on when the program ends. */
function startLine(node: ContainerNode): string {
  const { isRouter, image } = node.root;
  const run = inEnvironment(node);
  if (image === undefined) return isRouter ? `${run} ${frrScript} start 3>&-` : ':';
  const { command, directory } = image.start;
  if (command.length === 0) return ':';
  const place = quoted(directory);
  return `(mkdir -p -- ${place} && cd -- ${place} && exec ${run} ${command.map(quoted).join(' ')}) 3>&- &`;
}

/** hostname(1) and RFC 952 know no underscores, but names of nodes have them. */
const plainHostName = ({ name }: ContainerNode): string =>
  name.replaceAll('_', '-').replace(/^-+|-+$/g, '') || 'node';

/** The kernel takes any name, from root of the machine. */
const fullHostName = (node: ContainerNode): string[] =>
  plainHostName(node) === node.name
    ? []
    : [`echo ${quoted(node.name)} 2>/dev/null >/proc/sys/kernel/hostname || :`];

/** The script with which a node begins: it makes the root file system of the node, and goes on with `insideScript` there. */
export function startScript(lab: ContainerLab, node: ContainerNode, directory: string): string {
  const { image } = node.root;
  const lines = [
    'set -eu',
    `directory=${quoted(directory)}`,
    recordIdentity,
    `hostname ${quoted(plainHostName(node))}`,
    makeLayer,
    `${makeNetwork} <<'END'`,
    ...networkLines(node, lab),
    'END',
    image === undefined ? machineRoot : imageRoot(image),
    enterRoot,
  ];
  return lines.join('\n');
}

/**
 * It prints `made` when the node is ready to start, and starts only after a line on its standard input: the node ends if
 * the deploy was killed. It prints `late: <daemon>` for each daemon that did not start in time, and `started` at last.
 * Then only its log goes on.
 */
export function insideScript(node: ContainerNode, directory: string): string {
  const { isRouter, image } = node.root;
  return [
    'set -eu',
    `directory=${quoted(directory)}`,
    fillRoot,
    ...fullHostName(node),
    ...(isRouter ? [makeFrrUser] : []),
    ...(image === undefined ? [emptyPrivate, ...(isRouter ? [makeFrr] : [])] : []),
    ...bindLines(node),
    `exec 3>&1 4>${quoted(`/.machine${directory}/log`)} 5<&0 6>${quoted(`/.machine${directory}/pid`)}`,
    `read -r identity <${quoted(`/.machine${directory}/identity`)}`,
    'umount -l /.machine',
    'rmdir /.machine 2>/dev/null || :',
    // From now on, others may enter the node: before, they would have come to the file system of the machine.
    'echo "$identity" >&6',
    'exec 6>&-',
    makeHosts,
    'echo made >&3',
    'read -r go <&5',
    'exec </dev/null >&4 2>&4 4>&- 5<&-',
    startLine(node),
    ...(isRouter ? [awaitFrr] : []),
    ...commandLines(node),
    'echo started >&3',
    'exec 3>&-',
    "trap 'exit 0' TERM INT",
    'while :; do',
    '  sleep 86400 &',
    '  wait $!',
    'done',
    '',
  ].join('\n');
}
