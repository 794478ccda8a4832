/** The unit and the script that installs it. systemd itself is not needed: a supervisor does what it would do. */
import { describe, expect, test } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { superviseInstalled } from '../support/installed-service.ts';
import { killAll } from '../support/job-processes.ts';
import { install, installScript, makeRoots, settingsOf, unitOf } from '../support/install-script.ts';
import { requirement } from '../support/requirements.ts';
import { processesOf, topologyThat } from '../support/service.ts';
import { environmentFile, unitSetting } from '../support/supervisor.ts';

const newRoot = makeRoots();
const rotationOf = (root: string): string => path.join(root, 'etc/logrotate.d/lab-api');
const logsOf = (root: string): string => path.join(root, 'var/log/lab-api');
const dataOf = (root: string): string => path.join(root, 'var/lib/lab-api');

describe('install-service', () => {
  test('makes a unit and settings that only their owner reads, with a password of its own; twice changes nothing', async () => {
    const [root, other] = [newRoot('install'), newRoot('install-other')];
    const first = await install('--root', root);
    expect(first.code).toBe(0);
    for (const file of [unitOf(root), settingsOf(root)]) expect(first.output).toContain(`wrote ${file}\n`);
    expect(statSync(settingsOf(root)).mode & 0o777).toBe(0o600);
    const {
      LAB_API_USER: user,
      LAB_API_PASSWORD: password,
      LAB_API_BIND: bind,
      LAB_API_AUDIT_FILE: audit,
    } = environmentFile(settingsOf(root));
    expect({ user, bind }).toEqual({ user: 'lab', bind: '127.0.0.1' });
    expect(readFileSync(rotationOf(root), 'utf8')).toContain(`\n${audit} {\n`);
    expect(password).toMatch(/^[0-9a-f]{40}$/);
    expect(first.output).not.toContain(password);

    const unit = readFileSync(unitOf(root), 'utf8');
    expect(unitSetting(unit, 'User')).toBe('lab-api');
    // systemd makes the directory of the audit, for this user.
    expect(audit).toBe(`/var/log/${unitSetting(unit, 'LogsDirectory')}/audit.jsonl`);
    expect(unit).not.toMatch(/@[A-Z]+@(?! and @)/m);
    expect(unit).toMatch(/^Environment=LAB_API_REQUIRE_AUTH=true$/m);
    writeFileSync(rotationOf(root), '# mine\n');
    const kept = 'LAB_API_PORT=1\nLAB_API_USER=me\nLAB_API_PASSWORD=mine\n';
    writeFileSync(settingsOf(root), kept, { mode: 0o600 });
    const second = await install('--root', root);
    expect(second.output).toBe(
      `install-service: ${settingsOf(root)} stays as it is\ninstall-service: ${unitOf(root)} is up to date\n`,
    );
    expect(readFileSync(settingsOf(root), 'utf8')).toBe(kept);
    expect(readFileSync(rotationOf(root), 'utf8')).toBe('# mine\n');

    await install('--root', other);
    expect(environmentFile(settingsOf(other))['LAB_API_PASSWORD']).not.toBe(password);
  });

  test('another user; an installation that is there already gets the new unit', async () => {
    const root = newRoot('user');
    await install('--root', root);
    expect((await install('--root', root, '--user', 'root')).output).toContain(`wrote ${unitOf(root)}`);
    expect(unitSetting(readFileSync(unitOf(root), 'utf8'), 'User')).toBe('root');
    // An upgrade: the jobs and labs there are belong to that user.
    await install('--root', root);
    expect(unitSetting(readFileSync(unitOf(root), 'utf8'), 'User')).toBe('root');
  });

  test('removal keeps settings and data; --purge takes them, and nothing else', async () => {
    const root = newRoot('remove');
    await install('--root', root);
    for (const directory of [path.join(dataOf(root), 'jobs'), logsOf(root)])
      mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(root, 'var/lib/other'), '');
    const removed = await install('--uninstall', '--root', root);
    expect(removed.output).toContain(`removed ${unitOf(root)}\n`);
    expect([unitOf(root), settingsOf(root), dataOf(root)].map((file) => existsSync(file))).toEqual([
      false,
      true,
      true,
    ]);

    const purged = await install('--uninstall', '--purge', '--root', root);
    for (const file of [settingsOf(root), rotationOf(root), dataOf(root), logsOf(root)]) {
      expect(purged.output).toContain(`removed ${file}\n`);
      expect(existsSync(file)).toBe(false);
    }
    expect(existsSync(path.join(root, 'var/lib/other'))).toBe(true);
    expect((await install('--uninstall', '--purge', '--root', root)).code).toBe(0);
  });

  test('a link that leads out of the directory that --root names is not followed', async () => {
    const [root, outside] = [newRoot('image'), newRoot('outside')];
    mkdirSync(path.join(outside, 'lib/lab-api'), { recursive: true });
    symlinkSync(outside, path.join(root, 'var'));
    for (const args of [
      ['--root', root],
      ['--root', root, '--uninstall', '--purge'],
    ]) {
      expect(await install(...args)).toMatchObject({
        code: 1,
        output: expect.stringContaining('goes through a link'),
      });
    }
    expect(existsSync(path.join(outside, 'lib/lab-api'))).toBe(true);
  });

  test('--purge does not follow a link, and leaves a data directory that somebody chose', async () => {
    const root = newRoot('link');
    await install('--root', root);
    const elsewhere = newRoot('elsewhere');
    writeFileSync(path.join(elsewhere, 'precious'), '');
    mkdirSync(path.dirname(dataOf(root)), { recursive: true });
    symlinkSync(elsewhere, dataOf(root));
    writeFileSync(settingsOf(root), `LAB_API_DATA_DIR=${elsewhere}\n`);
    const { output } = await install('--uninstall', '--purge', '--root', root);
    expect(output).toContain(`stays, because somebody chose it: ${elsewhere}`);
    expect(output).toContain('is a link');
    expect(existsSync(path.join(elsewhere, 'precious'))).toBe(true);
  });

  test.each<{ name: string; args: string[]; code: number; output: RegExp }>([
    { name: 'an option that is none', args: ['--fly'], code: 2, output: /"--fly" is not an option[^]*usage/ },
    { name: '--purge alone', args: ['--purge'], code: 2, output: /--purge goes with --uninstall/ },
    { name: 'a user that is none', args: ['--user', 'a b'], code: 2, output: /is not the name of a user/ },
    {
      name: 'a root that is not there',
      args: ['--root', '/no/root'],
      code: 1,
      output: /there is no directory \/no\/root/,
    },
    {
      name: 'this machine as --root',
      args: ['--root', '/', '--uninstall'],
      code: 1,
      output: /installed without --root/,
    },
    { name: '--help', args: ['--help'], code: 0, output: /--purge / },
  ])('$name', async ({ args, code, output }) => {
    const ended = await install(...args);
    expect({ code: ended.code, output: ended.output }).toEqual({
      code,
      output: expect.stringMatching(output),
    });
  });
});

const analyze = requirement('systemd-analyze');
(analyze.missing === undefined ? describe : describe.skip)(`systemd-analyze ${analyze.missing ?? ''}`, () => {
  const root = newRoot('analyze');

  test('verify: nothing to complain about', async () => {
    await install('--root', root);
    const { stdout, stderr } = await promisify(execFile)(analyze.file, ['verify', '--man=no', unitOf(root)]);
    expect(stdout + stderr).toBe('');
  });

  test('security: what a lab CLI does without is taken away, what it needs is not', async () => {
    await install('--root', root);
    const help = execFileSync(analyze.file, ['--help'], { encoding: 'utf8' });
    if (!help.includes('--offline')) return;
    const args = ['security', '--offline=yes', `--root=${root}`, '--no-pager', '--json=short'];
    const answer = await promisify(execFile)(analyze.file, [...args, 'lab-api.service']);
    const checks = JSON.parse(answer.stdout) as { json_field: string; set: boolean | null }[];
    const isSet = (field: string) => checks.find((check) => check.json_field === field)?.set;
    const dropped = 'SYS_TIME WAKE_ALARM SYS_BOOT SYSLOG MAC SYS_RAWIO SYS_PACCT BLOCK_SUSPEND'.split(' ');
    for (const name of dropped) {
      expect({ name, isDropped: isSet(`CapabilityBoundingSet_CAP_${name}`) }).toEqual({
        name,
        isDropped: true,
      });
    }
    const needed = [
      'CapabilityBoundingSet_CAP_NET_ADMIN',
      'CapabilityBoundingSet_CAP_SYS_ADMIN',
      'RestrictNamespaces_net',
    ];
    // Those of the second line switch on NoNewPrivileges for an ordinary user, or take `ip netns` from the machine.
    const harmful = [
      'NoNewPrivileges',
      'SystemCallArchitectures',
      'PrivateTmp',
      'PrivateDevices',
      'ProtectSystem',
    ];
    for (const name of [...needed, ...harmful])
      expect({ name, isSet: isSet(name) }).toEqual({ name, isSet: false });
  });
});

describe('the service under a supervisor', () => {
  async function restartDuringJob(change?: (unit: string) => string) {
    const it = await superviseInstalled(installScript, change);
    const { ground, client, supervisor } = it;
    expect(await supervisor.start(ground.root)).toBe(0);
    const topology = topologyThat('echo one; wait_for go; echo two');
    const id = await client.start({ action: 'up', workdir: ground.workdir, topology });
    await ground.waitsFor('go');
    expect(await supervisor.stop()).toBe(0);
    const survivors = await processesOf(id);
    expect(await supervisor.start(ground.root)).toBe(0);
    return { ...it, id, survivors };
  }

  test('systemctl restart: the job goes on, the new service adopts it, its log is whole', async () => {
    const { ground, client, id, survivors } = await restartDuringJob();
    expect(survivors).not.toEqual([]);
    expect(await client.job(id)).toMatchObject({ state: 'running' });
    ground.let('go');
    expect(await client.ended(id)).toMatchObject({ state: 'success', exitCode: 0 });
    expect(await client.logText(id)).toMatch(/^one\ntwo\n/);
    expect(ground.runs('up')).toHaveLength(1);
  });

  test('and this is what KillMode=process is for: with the default the job ends too', async () => {
    const { client, id } = await restartDuringJob((unit) =>
      unit.replace('KillMode=process', 'KillMode=control-group'),
    );
    expect(await client.ended(id)).toMatchObject({ state: 'failed' });
  });

  test('the start fails at once when the service ends before it is ready', async () => {
    const { ground, supervisor } = await superviseInstalled(installScript);
    writeFileSync(ground.dataDir, 'a file where the directory should be');
    expect(await supervisor.start(ground.root)).toBe(1);
    expect(supervisor.output).toMatch(/lab api: cannot make the data directory/);
  });

  test('a reboot: the running job is interrupted, also when its process id is taken again; the waiting one runs', async () => {
    const { ground, client, supervisor } = await superviseInstalled(installScript);
    const { workdir } = ground;
    expect(await supervisor.start(ground.root)).toBe(0);
    const id = await client.start({ action: 'up', workdir, topology: topologyThat('echo one; wait_for go') });
    const waiting = await client.start({ action: 'create', workdir, topology: topologyThat('echo next') });
    await ground.waitsFor('go');
    const file = path.join(ground.dataDir, 'jobs', id, 'process.json');
    await eventually('the note of the process', () => existsSync(file));
    await supervisor.crash();
    await killAll(id);
    // Another boot, on which our own process has the number that the job had.
    const identity = {
      ...JSON.parse(readFileSync(file, 'utf8')),
      pid: process.pid,
      bootId: 'an-earlier-boot',
    };
    writeFileSync(file, JSON.stringify(identity));
    expect(await supervisor.start(ground.root)).toBe(0);
    expect(await client.ended(id)).toMatchObject({ state: 'failed', reason: 'interrupted' });
    expect(await client.logText(id)).toBe('one\n');
    expect(await client.ended(waiting)).toMatchObject({ state: 'success' });
  });

  test('--purge is refused while a job of that directory runs', async () => {
    const { ground, root, client, supervisor } = await superviseInstalled(installScript);
    expect(await supervisor.start(ground.root)).toBe(0);
    const topology = topologyThat('wait_for go');
    const id = await client.start({ action: 'up', workdir: ground.workdir, topology });
    await ground.waitsFor('go');
    mkdirSync(path.dirname(dataOf(root)), { recursive: true });
    execFileSync('cp', ['-r', ground.dataDir, dataOf(root)]);
    const refused = await install('--uninstall', '--purge', '--root', root);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(new RegExp(`nothing was removed, for these jobs run: ${id}`)),
    });
    expect([unitOf(root), dataOf(root)].map((file) => existsSync(file))).toEqual([true, true]);
    ground.let('go');
    await client.ended(id);
    expect((await install('--uninstall', '--purge', '--root', root)).code).toBe(0);
  });
});
