/** What the container files repeat from elsewhere is the same there. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { repoRoot } from '../support/repo-files.ts';

interface ComposeService {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly cap_add: readonly string[];
  readonly security_opt: readonly string[];
  readonly environment: Readonly<Record<string, string | null>>;
  readonly volumes: readonly string[];
  readonly tmpfs: readonly string[];
}

const hosts = ['lab1', 'lab2'];
const read = (file: string): string => readFileSync(path.join(repoRoot, file), 'utf8');
const dockerfile = read('Dockerfile');
const documentation = read(path.join('docs', 'docker.md'));
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Readonly<Record<string, ComposeService>>;
};
/** The path inside; the one outside may have a colon of its own: `${NAME:-default}`. */
const inside = (volume: string): string => volume.replace(/\$\{\w+:-([^}]*)\}/g, '$1').split(':')[1] ?? '';

test('the version in the label of the images is that of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(/^ARG VERSION=(.*)$/m.exec(dockerfile)?.[1]).toBe(version);
});

test('the last stage, which a build without a target makes, is lab-api', () => {
  expect(dockerfile.match(/^FROM .*$/gm)?.at(-1)).toBe('FROM lab-api');
});

test('the image notes its user where the program looks: beside package.json', () => {
  expect(dockerfile).toMatch(
    /^WORKDIR \/program\/app\n[^]*^ {4}&& id -u node >image-user\n[^]*^COPY --from=program \/program\/ \/$/m,
  );
  expect(read(path.join('src', 'jobs', 'store', 'data-dir-owner.ts'))).toContain("packageFile('image-user')");
});

test('plain "docker-compose up" starts the bundled engine alone', () => {
  const plain = Object.keys(services).filter((name) => services[name]?.profiles === undefined);
  expect(plain).toEqual(['lab-api']);
  expect(services['lab-api-netlab']?.profiles).toEqual(['netlab']);
});

/** What a host of the cluster is told, beside the variables of `.env`. */
function ofHost(name: string): Readonly<Record<string, string>> {
  if (!hosts.includes(name)) return {};
  return {
    LAB_API_TLS: 'self-signed',
    LAB_API_REDIS_URL: 'redis://:${REDIS_PASSWORD:-}@redis:6379',
    LAB_API_HOST_NAME: name,
    LAB_API_HOST_URL: `https://${name}:8090`,
  };
}

test('the profile "cluster" has Redis and two hosts, which share nothing but the network', () => {
  const inCluster = Object.keys(services).filter((name) => services[name]?.profiles?.includes('cluster'));
  expect(inCluster).toEqual(['redis', ...hosts]);
  const volumes = hosts.flatMap((name) => services[name]?.volumes.map((volume) => volume.split(':')[0]));
  expect(new Set(volumes).size).toBe(volumes.length);
});

const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('lab-api'));

describe.each(ours)('the service %s of the compose file', (name, service) => {
  test('passes every variable of .env.example on, those apart that the container decides', () => {
    const known = [...read('.env.example').matchAll(/^# (LAB_API_\w+)=/gm)].map(
      ([, variable = '']) => variable,
    );
    const decided =
      name === 'lab-api-netlab' ? ['LAB_API_DATA_DIR'] : ['LAB_API_BIND', 'LAB_API_PORT', 'LAB_API_DATA_DIR'];
    expect(Object.keys(service.environment).toSorted()).toEqual(
      known.filter((variable) => !decided.includes(variable)).toSorted(),
    );
    const values = Object.entries(service.environment).filter(([, value]) => value !== null);
    expect(Object.fromEntries(values)).toEqual({
      LAB_API_REQUIRE_AUTH: '${LAB_API_REQUIRE_AUTH:-true}',
      ...ofHost(name),
    });
  });

  test.each([...service.cap_add, ...service.security_opt, ...service.volumes.map(inside), ...service.tmpfs])(
    'docs/docker.md says why it needs %s',
    (what) => {
      expect(documentation).toMatch(new RegExp(`^\\| [^|]*\`[^|]*${what}[^|]*\`[^|]*\\| [^|]+`, 'm'));
    },
  );
});
