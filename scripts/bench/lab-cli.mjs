/** A lab CLI for measurements: it knows large labs, and starts nothing but shells in place of those of nodes. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Spines, leaves and hosts, as `netlab inspect` prints them. @param {number} count */
function fabric(count) {
  const spines = Math.max(2, Math.round(count / 50));
  const leaves = Math.max(2, Math.round(count / 6));
  const name = (/** @type {number} */ id) =>
    id < spines
      ? `s${id + 1}`
      : id < spines + leaves
        ? `l${id - spines + 1}`
        : `h${id - spines - leaves + 1}`;
  const nodes = Object.fromEntries(
    Array.from({ length: count }, (_, id) => [
      name(id),
      { id: id + 1, device: 'frr', role: id < spines + leaves ? 'router' : 'host' },
    ]),
  );
  /** @type {number[]} */
  const used = [];
  const end = (/** @type {number} */ id, /** @type {string} */ ipv4) => {
    used[id] = (used[id] ?? 0) + 1;
    return { node: name(id), ifname: `eth${used[id]}`, ipv4 };
  };
  const links = [];
  for (let leaf = spines; leaf < spines + leaves; leaf += 1)
    for (let spine = 0; spine < spines; spine += 1)
      links.push({ type: 'p2p', interfaces: [end(spine, '10.1.0.1/30'), end(leaf, '10.1.0.2/30')] });
  for (let host = spines + leaves; host < count; host += 1)
    links.push({
      type: 'lan',
      interfaces: [end(spines + (host % leaves), '172.16.0.1/24'), end(host, '172.16.0.2/24')],
    });
  return { nodes, links: links.map((link, index) => ({ ...link, linkindex: index + 1 })) };
}

/**
 * The output of `netlab status --instance`, without names of containers: there are none to look for.
 * @param {string} dir
 * @param {ReturnType<typeof fabric>} lab
 * @param {string} provider
 */
function statusOf(dir, { nodes }, provider) {
  const states = Object.entries(nodes).map(([name, { device }], index) => {
    const status = index % 40 === 39 ? 'Exited (1) 5 seconds ago' : 'Up 5 seconds';
    return [name, { device, provider, status }];
  });
  return { dir, status: 'started', providers: [provider], nodes: Object.fromEntries(states) };
}

/**
 * Writes a lab CLI that says that labs of these sizes run, each with its size as its id; the result is the program.
 * @param {string} ground An empty directory.
 * @param {readonly number[]} sizes
 * @param {string} [provider] With another one than `clab`, `netlab connect` leads into a node.
 */
export function writeLabCli(ground, sizes, provider = 'clab') {
  const labs = sizes.map((count) => {
    const dir = path.join(ground, `lab-${count}`);
    mkdirSync(dir);
    const lab = fabric(count);
    writeFileSync(path.join(dir, 'netlab.snapshot.pickle'), JSON.stringify(lab));
    writeFileSync(path.join(ground, `${count}.json`), JSON.stringify(statusOf(dir, lab, provider)));
    return [String(count), { dir, status: 'started', providers: [provider] }];
  });
  writeFileSync(path.join(ground, 'all.json'), JSON.stringify(Object.fromEntries(labs)));
  const cli = path.join(ground, 'netlab');
  const script = [
    '#!/bin/sh',
    'case "$1 $2" in',
    '  connect*) [ "$4" = --dry-run ] || exec sh ;;',
    '  inspect*) cat netlab.snapshot.pickle ;;',
    `  'status --instance') cat '${ground}'/"$3.json" ;;`,
    `  *) cat '${ground}/all.json' ;;`,
    'esac',
    '',
  ];
  writeFileSync(cli, script.join('\n'));
  chmodSync(cli, 0o700);
  return cli;
}
