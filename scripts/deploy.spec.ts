/** What `deploy/` and the Dockerfile say about the start of the gateway is what `npm run start:prod` does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseAllDocuments } from 'yaml';
import { settings } from '../apps/api/src/platform/settings.js';

const read = (file: string): string => readFileSync(join(process.cwd(), file), 'utf8');
const START = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts['start:prod'].split(
  ' ',
);

/** The secrets without which the gateway does not start. */
const SECRETS = Object.entries(settings.shape)
  .filter(([, setting]) => setting.meta()?.secret && !setting.safeParse(undefined).success)
  .map(([name]) => ({ name, file: name.toLowerCase().replaceAll('_', '-') }));

const UNIT = 'deploy/systemd/agent-gateway.service';
const valuesOf = (name: string): string[] =>
  Array.from(read(UNIT).matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value);

it('the image starts the gateway with the flags of start:prod', () => {
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))![1];
  expect(JSON.parse(command)).toEqual(START);
});

describe('the unit of systemd', () => {
  it('starts the gateway with the flags of start:prod, and with the environment of the image', () => {
    expect(valuesOf('ExecStart')).toEqual([['/usr/bin/node', ...START.slice(1)].join(' ')]);
    expect(valuesOf('Environment')).toContain(/^ENV (.*)$/m.exec(read('Dockerfile'))![1]);
  });

  it('gives each secret that the gateway needs in a file', () => {
    expect(valuesOf('LoadCredential').sort()).toEqual(
      SECRETS.map(({ file }) => `${file}:/etc/agent-gateway/${file}`).sort(),
    );
    const given = valuesOf('Environment').filter((each) => each.includes('_FILE='));
    expect(given.sort()).toEqual(SECRETS.map(({ name, file }) => `${name}_FILE=%d/${file}`).sort());
  });

  it('waits for the requests in progress before it kills', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(40);
  });

  const { error: missing } = spawnSync('systemd-analyze', ['--version']);
  (missing ? it.skip : it)('is a unit that systemd can read (skipped without systemd-analyze)', () => {
    const directory = mkdtempSync(join(tmpdir(), 'agw-unit-'));
    try {
      const file = join(directory, 'agent-gateway.service');
      writeFileSync(file, read(UNIT).replace('/usr/bin/node', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- checked against the schema of its kind
}

describe('the manifests for Kubernetes', () => {
  const FOLDER = 'deploy/kubernetes';
  const documents = (file: string): Manifest[] =>
    parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => document.toJS() as Manifest);
  const kustomization = documents('kustomization.yaml')[0] as unknown as {
    resources: string[];
    configMapGenerator: { name: string; literals: string[] }[];
    secretGenerator: { name: string; files: string[] }[];
  };
  const all = kustomization.resources.flatMap(documents);
  const one = (kind: string): Manifest => all.find((each) => each.kind === kind)!;
  const pod = () => one('Deployment').spec.template.spec;
  const container = () => pod().containers[0];
  const scraped = (): Record<string, string> => one('Deployment').spec.template.metadata.annotations;

  it('are all in the kustomization', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    expect(kustomization.resources.sort()).toEqual(files.sort());
  });

  it('fit the schemas of Kubernetes, and name nothing that these do not know', () => {
    const require = createRequire(import.meta.url);
    const packages = join(require.resolve('kubernetes-models'), '..');
    const schemas = ['_schemas', '../@kubernetes-models/apimachinery/_schemas']
      .map((folder) => join(packages, folder))
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(name, 'utf8'))
      .join('\n');
    const FREE = new Set(['app', 'k8s-app', 'kubernetes.io/metadata.name', 'cpu', 'memory', ...Object.keys(scraped())]);
    const keysIn = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([key, inner]) => [...(Array.isArray(value) ? [] : [key]), ...keysIn(inner)]);
    for (const manifest of all) {
      const models = require(`kubernetes-models/${manifest.apiVersion}`) as Record<
        string,
        new (data: unknown) => { validate(): void }
      >;
      expect(() => new models[manifest.kind](manifest).validate()).not.toThrow();
      const unknown = keysIn(manifest).filter((key) => !FREE.has(key) && !new RegExp(`[."]${key}\\b`).test(schemas));
      expect(unknown).toEqual([]);
    }
  });

  it('give each secret that the gateway needs in a file, and settings that are none', () => {
    const env = container().env as { name: string; value: string }[];
    const { mountPath } = container().volumeMounts[0];
    expect(env).toEqual(
      expect.arrayContaining(
        SECRETS.map(({ name, file }) => ({ name: `${name}_FILE`, value: `${mountPath}/${file}` })),
      ),
    );
    expect(env).toHaveLength(SECRETS.length);
    const [secret] = kustomization.secretGenerator;
    expect(secret.files.sort()).toEqual(SECRETS.map(({ file }) => `secrets/${file}`).sort());
    expect(pod().volumes[0].secret.secretName).toBe(secret.name);
    const [config] = kustomization.configMapGenerator;
    expect(container().envFrom[0].configMapRef.name).toBe(config.name);
    for (const literal of config.literals) {
      const [name, value] = literal.split('=', 2);
      const setting = settings.shape[name as keyof typeof settings.shape];
      expect([name, setting.meta()?.secret ?? false, setting.safeParse(value).success]).toEqual([name, false, true]);
    }
    expect(read('.gitignore')).toContain(`${FOLDER}/secrets/`);
  });

  it('run it as the user of the image without rights, and let it end its requests', () => {
    // The user `node` of the image.
    expect(pod().securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod().terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container()[probe].httpGet.path);
    expect(paths).toEqual(['/health', '/health', '/ready']);
  });

  it('mean the same pods', () => {
    const { labels } = one('Deployment').spec.template.metadata;
    const selectors = [
      one('Deployment').spec.selector.matchLabels,
      one('PodDisruptionBudget').spec.selector.matchLabels,
      one('NetworkPolicy').spec.podSelector.matchLabels,
      one('Service').spec.selector,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(one('Deployment').metadata.name);
  });

  it('let only Prometheus read the metrics, on a port of their own', () => {
    const [{ literals }] = kustomization.configMapGenerator;
    const port = literals.find((literal) => literal.startsWith('METRICS_PORT='))!.split('=')[1];
    expect(container().ports).toContainEqual({ name: 'metrics', containerPort: Number(port) });
    expect(scraped()).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': port,
      'prometheus.io/path': '/metrics',
    });
    const into = one('NetworkPolicy').spec.ingress as { from?: unknown[]; ports: { port: string }[] }[];
    for (const { from, ports } of into) expect([ports, from === undefined]).toEqual([ports, ports[0].port === 'http']);
    expect(one('Service').spec.ports.map((each: { targetPort: string }) => each.targetPort)).toEqual(['http']);
  });

  it('let it out to the world, but to no private address', () => {
    const blocks = one('NetworkPolicy').spec.egress.flatMap(({ to }: { to: { ipBlock?: unknown }[] }) =>
      to.flatMap(({ ipBlock }) => ipBlock ?? []),
    ) as { cidr: string; except: string[] }[];
    const isIn = (address: string, cidr: string): boolean => {
      const [parsed, range] = [ipaddr.parse(address), ipaddr.parseCIDR(cidr)];
      return parsed.kind() === range[0].kind() && parsed.match(range);
    };
    const isOpen = (address: string): boolean =>
      blocks.some(({ cidr, except }) => isIn(address, cidr) && !except.some((range) => isIn(address, range)));
    for (const address of ['93.184.215.14', '1.1.1.1', '2606:4700::1111'])
      expect([address, isOpen(address)]).toEqual([address, true]);
    const closed =
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 64:ff9b::a00:1 fd00::1 fe80::1 ff02::1';
    for (const address of closed.split(' ')) expect([address, isOpen(address)]).toEqual([address, false]);
  });
});
