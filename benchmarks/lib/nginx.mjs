/** nginx with a key map and header injection, where it is installed. It shows the physical limit. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns null where nginx is not installed */
export async function startNginx({ upstreamPort, apiKey, port }) {
  if (spawnSync('nginx', ['-v']).error) return null;
  const directory = mkdtempSync(join(tmpdir(), 'agw-nginx-'));
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log;
    events { worker_connections 1024; }
    http {
      access_log ${directory}/access.log; client_body_temp_path ${directory}; proxy_temp_path ${directory};
      fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
      map_hash_bucket_size 128;
      map $http_agent_key $credential { default ""; "${apiKey}" "Bearer upstream-token-0123456789"; }
      upstream api { server 127.0.0.1:${upstreamPort}; keepalive 128; }
      server {
        listen 127.0.0.1:${port};
        location / {
          if ($credential = "") { return 401; }
          proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header Authorization $credential; proxy_set_header Agent-Key "";
        }
      }
    }`,
  );
  const child = spawn('nginx', ['-c', config, '-p', directory], { stdio: 'inherit' });
  const stop = async () => {
    // nginx has already exited if it refused the configuration.
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
    rmSync(directory, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 50; attempt++) {
    const up = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (up) return { origin: `http://127.0.0.1:${port}`, pid: child.pid, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return null;
}
