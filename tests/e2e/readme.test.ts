/** The commands in README.md, docs/api.md, docs/operations.md and docs/command-line.md work as they stand there, with the bundled engine. */
import { expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { commandsBelow, inBackground, missingForTyping, typeInto } from '../support/typed-page.ts';

const missing = missingForTyping('openssl');
const { because, it } = testUnless(missing);

const root = temporaryDirectory();
const ignored = readFileSync(path.join(repoRoot, '.gitignore'), 'utf8').split('\n');

function type(name: string, script: string): { said: string; warned: string; directory: string } {
  const directory = path.join(root, name);
  mkdirSync(directory);
  const { status, stdout, stderr } = typeInto(directory, script);
  if (status !== 0) throw new Error(`it failed:\n${stdout}${stderr}`);
  return { said: stdout, warned: stderr, directory };
}

it(`README.md, "Five things to do": each works${because}`, () => {
  const [start, things] = commandsBelow('Five things to do', 'README.md');
  const service = start!.replace(/^npm run build\n/m, '');
  expect(service).not.toBe(start);
  const script = `${inBackground(service)}
${things}
lab jobs -o json >jobs.json`;
  const { said, directory } = type('five-things', script);
  expect(said).toMatch(/^Lab default is up/m);
  expect(said).toMatch(/^1 packets transmitted, 1 (packets )?received/m);
  expect(readFileSync(path.join(directory, 'lab.svg'), 'utf8')).toMatch(/^<svg [^]*<\/svg>\s*$/);
  const jobs = JSON.parse(readFileSync(path.join(directory, 'jobs.json'), 'utf8')) as object[];
  expect(jobs).toMatchObject([
    { action: 'down', state: 'success' },
    { action: 'up', state: 'success' },
  ]);
});

it(`docs/api.md, "Run a lab over HTTP": every job succeeds${because}`, () => {
  const [start, round] = commandsBelow('Run a lab over HTTP', 'docs/api.md');
  const script = `${inBackground(start!)}
${round}
echo; echo "== the end"
for job in $(curl -sS $api/jobs | grep -o '"id":"[^"]*' | cut -d'"' -f4); do
  curl -sSN -o log "$api/jobs/$job/log?follow=true"
  curl -sS $api/jobs/$job
done`;
  const { said, directory } = type('round', script);
  const [before, after] = said.split('== the end\n');
  expect(before).toMatch(/^Lab default is up/m);
  expect(before).toMatch(/"state":"success"/);
  expect(before).toMatch(/│ r1 +│ linux .* Up +│/);
  const jobs = after!
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(jobs.map(({ action, state, error }) => [action, state, error])).toEqual([
    ['down', 'success', null],
    ['collect', 'success', null],
    ['up', 'success', null],
  ]);
  expect(readdirSync(path.join(directory, 'examples/triangle/config'))).toContain('r1.cfg');
});

it(`a refused job is shown with the reason, and nothing is asked about a job that is not there${because}`, () => {
  const [start, round] = commandsBelow('Run a lab over HTTP', 'docs/api.md');
  const script = `set +e
${inBackground(start!)}
(${round!.replaceAll('examples/triangle', 'nowhere')}
) 2>&1
true`;
  const { said, directory } = type('refused', script);
  expect(said).toMatch(/^refused: \{.*"code":"workdir-not-found"/m);
  expect(said.trim().split('\n').at(-1)).toMatch(/there is no job$/);
  expect(readFileSync(path.join(directory, 'service.log'), 'utf8')).not.toContain('/log');
});

it(`docs/operations.md, "A password and TLS": with the password, over TLS, and not without${because}`, () => {
  const [setUp, request] = commandsBelow('A password and TLS', 'docs/operations.md')[0]!.split(
    /^# From another terminal.*\n/m,
  );
  const script = `${inBackground(setUp!, 'https://127.0.0.1:8090')}
${request}
grep cacert curlrc >trust
curl -sS -K trust -u ops:wrong -o refusal -w '%{http_code}' https://localhost:8090/jobs`;
  const { said, directory } = type('others', script);
  const [jobs, refused] = said.trim().split('\n');
  expect(JSON.parse(jobs!)).toEqual({ jobs: [], nextCursor: null });
  expect(refused).toBe('401');
  expect(request).not.toMatch(/password/);

  const secrets = readdirSync(directory).filter((name) => /^(password|curlrc|.*\.pem)$/.test(name));
  expect(secrets.toSorted()).toEqual(['curlrc', 'password']);
  const modes = secrets.map((name) => statSync(path.join(directory, name)).mode & 0o077);
  expect(modes).toEqual(secrets.map(() => 0));
  expect(ignored).toEqual(expect.arrayContaining(secrets.map((name) => `/${name}`)));
});

it(`docs/command-line.md: a lab is started, found and stopped by commands that speak to the service${because}`, () => {
  const [commands = ''] = commandsBelow('The command line, over HTTP', 'docs/command-line.md');
  const script = `${inBackground('node dist/main.js api')}
mkdir -p labs/demo
cp examples/triangle/topology.yml .
${commands.replaceAll('/labs/demo', '$PWD/labs/demo')}
lab jobs -o json >jobs.json`;
  const { said, directory } = type('command-line', script);
  expect(said).toMatch(/^Lab default is up/m);
  expect(said).toMatch(/^job-\S+ +up +success/m);
  const jobs = JSON.parse(readFileSync(path.join(directory, 'jobs.json'), 'utf8')) as { state: string }[];
  expect(jobs).toMatchObject([
    { action: 'down', state: 'success' },
    { action: 'up', state: 'success', labels: { build: '7' } },
  ]);
});

const ofRecipes = testUnless(missing ?? requirement('jq').missing);
ofRecipes.it(`docs/operations.md, "Recipes": each works${ofRecipes.because}`, () => {
  const [stuck, disk, user] = ['A lab is stuck', 'The disk is full', 'The user behind a change'].map(
    (heading) => commandsBelow(heading, 'docs/operations.md')[0]!,
  );
  const [protect = '', start = ''] = commandsBelow('A password and TLS', 'docs/operations.md')[0]!.split(
    /^(lab api .*)\n/m,
  );
  const script = `export LAB_API_AUDIT_FILE=$PWD/audit.jsonl
${protect}
${inBackground(start, 'https://127.0.0.1:8090')}
export LAB_API_URL=https://localhost:8090 LAB_API_CACERT=$certificate
lab start up --workdir examples/triangle --wait
lab start exec --instance default --json - >/dev/null <<<'{"nodes": ["h1"], "command": ["sleep", "3600"]}'
until lab jobs --state running | grep exec; do sleep 0.1; done
echo "== stuck"
${stuck}
lab labs
echo "== disk"
lab push examples/two-hosts big
${disk!}
echo "== user"
${user!}`;
  const { said } = type('recipes', script);
  const [, stuckSaid, diskSaid, userSaid] = said.split(/^== .*$/m);
  expect(stuckSaid).toMatch(/^job-\S+ canceled[^]*^no labs$/m);
  expect(diskSaid).toMatch(/^\d+\tbig\t/m);
  expect(userSaid).toMatch(/^20\S+Z +ops +\S+ +submitJob exec +job job-\S+ of lab default +202$/m);
});

it(`docs/operations.md, "Back up and restore": all is there on another machine${because}`, () => {
  // A directory stands for the root directory of each machine.
  const [backUp = '', restore = ''] = commandsBelow('Back up and restore', 'docs/operations.md').map(
    (commands) => commands.replaceAll(/ \/(?=var|etc| )/g, ' $PWD/machine/'),
  );
  const serve = inBackground(
    'set -a; . machine/etc/lab-api/lab-api.env; exec node dist/main.js api',
    'https://127.0.0.1:8090',
  );
  const script = `sudo() { "$@"; }
install() {
  mkdir -p -m 700 machine/var/lib/lab-api machine/var/log/lab-api machine/etc/lab-api
  cat >machine/etc/lab-api/lab-api.env <<EOF
LAB_API_DATA_DIR=$PWD/machine/var/lib/lab-api
LAB_API_USERS_FILE=$PWD/machine/etc/lab-api/users.yaml
LAB_API_AUDIT_FILE=$PWD/machine/var/log/lab-api/audit.jsonl
LAB_API_TLS=self-signed
EOF
  echo 'a long password' | lab user add ops --role admin --file machine/etc/lab-api/users.yaml
}
systemctl() {
  if [ $1 = stop ]; then kill $service; wait $service || true
  else ${serve}
  service=$!; fi
}
export LAB_API_URL=https://localhost:8090 LAB_API_CACERT=$PWD/certificate.pem LAB_API_TOKEN_FILE=$PWD/token
install
(umask 077 && lab token create --user ops --file machine/etc/lab-api/users.yaml >token)
systemctl start
cp machine/var/lib/lab-api/tls/certificate.pem .
lab push examples/two-hosts demo
lab start up --workspace demo --wait
lab start down --workspace demo --wait
lab jobs -o json >jobs-before.json
${backUp}
systemctl stop
mv machine old-machine
install
systemctl start
${restore}
lab jobs -o json >jobs.json
grep -q '"workspace":"demo"' machine/var/log/lab-api/audit.jsonl
lab pull demo demo
diff -r demo old-machine/var/lib/lab-api/workspaces/demo && echo "== the same files"
lab labs --all
lab start up --workspace demo --wait
lab start down --workspace demo --wait`;
  const { said, warned, directory } = type('restore', script);
  expect(warned).not.toMatch(/socket ignored/);
  expect(said).toMatch(/^== the same files$/m);
  expect(said).toMatch(/^default +ops .* demo +lab retry/m);
  expect(said).not.toMatch(/^no labs/m);
  const jobsIn = (file: string): unknown => JSON.parse(readFileSync(path.join(directory, file), 'utf8'));
  expect(jobsIn('jobs.json')).toEqual(jobsIn('jobs-before.json'));
});

it(`docs/api.md: events begin with how things are${because}`, () => {
  const [follow = ''] = commandsBelow('Events', 'docs/api.md');
  const script = `${inBackground('node dist/main.js api')}
${follow.trimEnd()} >events &
until grep -q '^event: ready' events; do sleep 0.1; done
kill $!
cat events`;
  expect(type('events', script).said).toMatch(/^event: snapshot\ndata: \{\}\n\nevent: ready\nid: /m);
});

test('what docs/docker.md has people make beside the sources is ignored by git', () => {
  const page = readFileSync(path.join(repoRoot, 'docs', 'docker.md'), 'utf8');
  expect(page).toMatch(/^ +mkdir -p secrets$/m);
  expect(ignored).toContain('/secrets/');
});

test('the secret that docs/operations.md has people make is ignored by git', () => {
  const [commands = ''] = commandsBelow('Webhooks', 'docs/operations.md');
  const [, made] = /> (\S+)\)/.exec(commands) ?? [];
  expect(ignored).toContain(`/${made}`);
});
