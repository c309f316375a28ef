/** Prometheus and Grafana of docker-compose.yml read the gateway, and the files of `deploy/`. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

const read = (file: string): string => readFileSync(join(process.cwd(), file), 'utf8');
/** The alerts and the dashboard know the job by this name. */
const JOB = 'agent-gateway';

describe('Prometheus and Grafana of Compose', () => {
  interface Service {
    image?: string;
    profiles?: string[];
    ports?: string[];
    volumes?: string[];
    secrets?: string[];
    environment: Record<string, unknown>;
  }
  const compose = parse(read('docker-compose.yml')) as {
    services: Record<string, Service>;
    secrets: Record<string, { environment: string }>;
  };
  const { prometheus, grafana, gateway } = compose.services;
  const scraping = parse(read('deploy/prometheus.yaml')) as {
    rule_files: string[];
    scrape_configs: {
      job_name: string;
      authorization: { credentials_file: string };
      static_configs: { targets: string[] }[];
    }[];
  };
  const mounts = [prometheus, grafana].flatMap(({ volumes = [] }) =>
    volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')),
  );
  /** The file of this repository that is at a path of a container. */
  const source = (path: string): string | undefined => mounts.find(([, target]) => target === path)?.[0];

  it('start only if asked for, in one version, for this machine alone', () => {
    for (const { image, profiles, ports } of [prometheus, grafana]) {
      expect([image, profiles]).toEqual([expect.stringMatching(/:v?\d+\.\d+\.\d+$/), ['metrics']]);
      expect(ports!.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    }
  });

  it('read the gateway with its token, and the files of this repository', () => {
    expect(mounts.filter(([file, , access]) => !existsSync(file) || access !== 'ro')).toEqual([]);
    expect(source('/etc/prometheus/prometheus.yml')).toBe('./deploy/prometheus.yaml');
    for (const file of scraping.rule_files) {
      expect(source(`/etc/prometheus/${file}`)).toBe(`./deploy/${file}`);
      expect(existsSync(join('deploy', file))).toBe(true);
    }
    const [{ job_name, authorization, static_configs }] = scraping.scrape_configs;
    expect([job_name, static_configs[0].targets]).toEqual([JOB, [`gateway:${gateway.environment.PORT as number}`]]);
    const secret = authorization.credentials_file.replace('/run/secrets/', '');
    expect(prometheus.secrets).toEqual([secret]);
    expect(gateway.environment.METRICS_TOKEN).toBe(`\${${compose.secrets[secret].environment}:-}`);
    const provisioning = '/etc/grafana/provisioning';
    const [{ options }] = (
      parse(read(`${source(`${provisioning}/dashboards`)}/agent-gateway.yaml`)) as {
        providers: { options: { path: string } }[];
      }
    ).providers;
    const home = String(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH);
    expect([dirname(home), source(home)]).toEqual([options.path, './deploy/grafana/dashboard.json']);
    const [{ url }] = (
      parse(read(`${source(`${provisioning}/datasources`)}/prometheus.yaml`)) as { datasources: { url: string }[] }
    ).datasources;
    expect([new URL(url).hostname, new URL(url).port]).toEqual(['prometheus', prometheus.ports![0].split(':').at(-1)]);
  });

  it('know the job by the name that the documentation gives it', () => {
    expect(read('docs/operators.md')).toContain(`- job_name: ${JOB}\n`);
  });
});
