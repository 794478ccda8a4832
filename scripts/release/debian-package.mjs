/** The Debian package: the program with its own Node.js below /usr/lib/lab-api, a unit of systemd, and completions (ADR 35). */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { normalize } from './program-tree.mjs';
import { run } from './run.mjs';

/** The names of Debian for the processors of Node.js. */
const architectures = /** @type {Readonly<Record<string, string>>} */ ({ x64: 'amd64', arm64: 'arm64' });

/** Debian sorts 1.0.0~rc.1 before 1.0.0. @param {string} version */
const debianVersion = (version) => version.replace('-', '~');

/** @param {string} file @param {string} text @param {number} [mode] */
function write(file, text, mode = 0o644) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

/** @param {string} file @param {string} text */
function writeCompressed(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}

/** @param {string} version @param {string} help what `lab --help` prints */
const manualPage = (version, help) => `.TH LAB 1 "" "lab-api ${version}"
.SH NAME
lab \\- virtual network labs, and their API over HTTP
.SH SYNOPSIS
.B lab
.I command
[\\fIoptions\\fR]
.SH DESCRIPTION
.nf
${help
  .replaceAll('\\', '\\e')
  .replaceAll('-', '\\-')
  .replaceAll(/^(?=[.'])/gm, '\\&')}
.fi
.SH SEE ALSO
The pages in /usr/lib/lab\\-api/docs.
`;

/** @param {string} version @param {string} architecture @param {number} kibibytes */
const control = (version, architecture, kibibytes) => `Package: lab-api
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: The lab-api project <lab-api@localhost.invalid>
Installed-Size: ${kibibytes}
Depends: iproute2, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10), passwd, procps
Recommends: fping, iputils-ping, logrotate, nftables, tcpdump
Section: net
Priority: optional
Description: HTTP API in front of a network-lab command-line tool
 lab-api starts, watches and cancels virtual network labs over HTTP, for CI
 jobs, courses and dashboards. It runs labs with netlab, with containerlab, or
 with its own engine, which needs only Linux.
 .
 The package contains its own Node.js.
`;

/** @param {string} licences of the packages in the program */
const copyright = (licences) => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lab-api

Files: *
Copyright: the contributors of lab-api
License: Expat
Comment: ${licences}

License: Expat
${readFileSync('LICENSE', 'utf8')
  .trim()
  .split('\n')
  .map((line) => ` ${line.trim() === '' ? '.' : line}`)
  .join('\n')}
`;

/**
 * @param {string} root of the package
 * @param {{ tree: string, version: string, seconds: number }} program
 */
function fill(root, { tree, version, seconds }) {
  const home = path.join(root, 'usr/lib/lab-api');
  mkdirSync(path.dirname(home), { recursive: true });
  cpSync(tree, home, { recursive: true, verbatimSymlinks: true });
  mkdirSync(path.join(root, 'usr/bin'));
  symlinkSync('../lib/lab-api/bin/lab', path.join(root, 'usr/bin/lab'));
  const unit = readFileSync('packaging/lab-api.service', 'utf8')
    .replaceAll('@PROGRAM@', '/usr/bin/lab')
    .replaceAll('@USER@', 'lab-api');
  write(path.join(root, 'usr/lib/systemd/system/lab-api.service'), unit);
  write(path.join(root, 'etc/logrotate.d/lab-api'), readFileSync('packaging/lab-api.logrotate', 'utf8'));
  const share = path.join(root, 'usr/share');
  const shells = {
    bash: 'bash-completion/completions/lab',
    zsh: 'zsh/vendor-completions/_lab',
  };
  for (const [shell, file] of Object.entries(shells))
    write(
      path.join(share, file),
      run(process.execPath, [path.join(tree, 'dist/main.js'), 'completion', shell]),
    );
  const help = run(process.execPath, [path.join(tree, 'dist/main.js'), '--help']);
  writeCompressed(path.join(share, 'man/man1/lab.1.gz'), manualPage(version, help));
  const pages = path.join(share, 'doc/lab-api');
  write(
    path.join(pages, 'copyright'),
    copyright(
      'dist/LICENSES.txt, dist/dashboard/LICENSES.md and bin/LICENSE below /usr/lib/lab-api have the licenses of the packages and of Node.js',
    ),
  );
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  const changes = `lab-api (${debianVersion(version)}) unstable; urgency=medium\n\n  * See /usr/lib/lab-api/CHANGELOG.md.\n\n -- The lab-api project <lab-api@localhost.invalid>  ${date}\n`;
  writeCompressed(path.join(pages, 'changelog.gz'), changes);
  write(
    path.join(share, 'lintian/overrides/lab-api'),
    readFileSync('packaging/deb/lintian-overrides', 'utf8'),
  );
}

/** In KiB, with one for each directory, whose size depends on the file system. @param {string} root */
function installedSize(root) {
  let kibibytes = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const bytes = entry.isFile() ? statSync(path.join(entry.parentPath, entry.name)).size : 1;
    kibibytes += Math.ceil(bytes / 1024);
  }
  return kibibytes;
}

/** Writes the description of the package and the scripts that dpkg runs. @param {string} root @param {{ version: string, architecture: string }} names */
function describe(root, { version, architecture }) {
  const debian = path.join(root, 'DEBIAN');
  write(path.join(debian, 'control'), control(version, architecture, installedSize(root)));
  write(path.join(debian, 'conffiles'), '/etc/logrotate.d/lab-api\n');
  const purge = ['deb/names.sh', 'purge.sh']
    .map((file) => readFileSync(`packaging/${file}`, 'utf8'))
    .join('\n');
  for (const script of ['postinst', 'prerm', 'postrm'])
    write(
      path.join(debian, script),
      readFileSync(`packaging/deb/${script}`, 'utf8').replace('@PURGE@', () => purge),
      0o755,
    );
  const sums = run('sh', ['-c', 'find usr etc -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum'], {
    cwd: root,
  });
  write(path.join(debian, 'md5sums'), sums);
}

/**
 * @param {string} work a directory for the content of the package
 * @param {{ tree: string, version: string, seconds: number, out: string, level: number }} release
 * @returns {string} the file
 */
export function makeDebianPackage(work, release) {
  const architecture = architectures[process.arch] ?? process.arch;
  fill(work, release);
  describe(work, { version: release.version, architecture });
  normalize(work, release.seconds);
  // Without the ~ of Debian's version: GitHub would make a dot of it, and the line in SHA256SUMS would not fit.
  const file = path.join(release.out, `lab-api_${release.version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(release.seconds) };
  run('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${release.level}`, '--build', work, file], { env });
  return file;
}
