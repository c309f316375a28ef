import fc from 'fast-check';
import { GOOD, readFaults } from '../../test/support/settings.js';
import { loadConfig, type Environment } from './load-config.js';

const withSetting = (name: string, value: string | undefined): Environment => ({ ...GOOD, [name]: value });

describe('loadConfig', () => {
  it('uses the defaults of docs/configuration.md for variables that are not set', () => {
    const { summary, ...config } = loadConfig(GOOD);
    expect(config).toEqual({
      http: {
        port: 3000,
        host: '0.0.0.0',
        publicUrl: null,
        trustProxy: false,
        corsOrigins: [],
        production: false,
        logLevel: 'info',
      },
      database: {
        connection: expect.objectContaining({ host: 'db.example', port: 5432, database: 'agw', password: 'pw' }),
        poolSize: 20,
        migrateAtStart: true,
        timeouts: { connectMs: 1500, queryMs: 3500 },
      },
      auth: {
        jwtSecret: 'jwt-secret',
        accessTtlSeconds: 15 * 60,
        refreshTtlSeconds: 7 * 86_400,
        sessionMaxDays: 30,
        passwordLogin: true,
        oidc: null,
        allowRegistration: false,
        setupToken: null,
        adminEmail: null,
        adminPassword: null,
      },
      crypto: {
        encryptionSecret: GOOD.ENCRYPTION_SECRET,
        previousEncryptionSecret: null,
        encryptionSalt: expect.any(String),
      },
      risk: {
        llmBaseUrl: 'https://llm.example/v1',
        llmApiKey: 'llm-key',
        llmModel: expect.any(String),
        llmTimeoutMs: 10_000,
        promptMaxBytes: 32_768,
        threshold: 0.5,
        cacheSeconds: 60,
        assessHeld: true,
      },
      approvals: { pendingTtlHours: 24, executeTtlHours: 1, denialHoldsHours: 24 },
      egress: {
        privateTargetAllowlist: new Set(),
        privateTargetAccess: 'admins',
        adminEmail: null,
        callbackPrivateHosts: new Set(),
        channelPrivateHosts: new Set(),
        ownTargets: expect.any(Set),
        timeouts: { upstreamMs: 30_000, tokenEndpointMs: 10_000, receiverMs: 10_000 },
      },
      mail: { from: null, smtpUrl: null },
      audit: { retentionDays: 0 },
      agents: {
        bodyMaxBytes: 10 * 1024 * 1024,
        streamMaxBytes: 1024 ** 3,
        streamMaxSeconds: 3600,
        maxInFlight: 256,
        maxBufferedBytes: 128 * 1024 * 1024,
        maxPending: 20_000,
        maxHeldBytes: 512 * 1024 * 1024,
        maxStoredBytes: 1024 * 1024 * 1024,
      },
      metrics: { token: null, port: null, host: '0.0.0.0', agentDetail: false },
    });
    expect(summary.find(({ name }) => name === 'PORT')).toEqual({ name: 'PORT', value: '3000', secret: false });
  });

  it('reads every setting', () => {
    const config = loadConfig({
      ...GOOD,
      PORT: '0',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://gateway.example/',
      TRUST_PROXY: '2',
      CORS_ORIGINS: 'https://A.example, https://b.example:8443',
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      DATABASE_POOL_SIZE: '5',
      DATABASE_MIGRATE: 'false',
      JWT_ACCESS_EXPIRY: '90s',
      JWT_REFRESH_EXPIRY: '12h',
      SESSION_MAX_DAYS: '90',
      PASSWORD_LOGIN: 'false',
      OIDC_ISSUER: 'https://id.example.com/realm',
      OIDC_CLIENT_ID: 'gateway',
      OIDC_CLIENT_SECRET: 'openid-secret',
      OIDC_NAME: 'Example Corp',
      OIDC_SCOPES: 'openid email',
      OIDC_ALLOWED_DOMAINS: 'example.com, Example.org',
      OIDC_ROLES_CLAIM: 'groups',
      OIDC_ROLE_MAP: 'Ops Team=admin, cn=Desk=approver',
      ALLOW_REGISTRATION: 'true',
      SETUP_TOKEN: 'token',
      ADMIN_EMAIL: 'ada@example.com',
      ADMIN_PASSWORD: 'a long password',
      ENCRYPTION_SECRET_PREVIOUS: 'p'.repeat(32),
      ENCRYPTION_SALT: 'salt',
      LLM_MODEL: 'model',
      LLM_TIMEOUT_MS: '250',
      LLM_PROMPT_MAX_BYTES: '4096',
      RISK_THRESHOLD: '0',
      RISK_CACHE_SECONDS: '0',
      RISK_ASSESS_HELD: 'false',
      APPROVAL_PENDING_TTL_HOURS: '2',
      APPROVAL_EXECUTE_TTL_HOURS: '3',
      DENIAL_HOLDS_HOURS: '0',
      AGENT_MAX_IN_FLIGHT: '4',
      AGENT_MAX_BUFFERED_MB: '5',
      AGENT_MAX_PENDING: '6',
      AGENT_MAX_HELD_MB: '8',
      AGENT_MAX_STORED_MB: '7',
      PRIVATE_TARGET_ALLOWLIST: 'Intranet:8080,[::1]:9000',
      AUDIT_RETENTION_DAYS: '30',
      BODY_MAX_BYTES: '20000000',
      STREAM_MAX_BYTES: '5000000',
      STREAM_MAX_SECONDS: '60',
      METRICS_TOKEN: 'm'.repeat(16),
      METRICS_PORT: '9090',
      METRICS_HOST: '10.0.0.9',
      METRICS_DETAIL: 'agents',
    });
    expect(config.http).toEqual({
      port: 0,
      host: '127.0.0.1',
      publicUrl: 'https://gateway.example',
      trustProxy: 2,
      corsOrigins: ['https://a.example', 'https://b.example:8443'],
      production: true,
      logLevel: 'warn',
    });
    expect(config.database).toMatchObject({ poolSize: 5, migrateAtStart: false });
    expect(config.auth).toMatchObject({
      accessTtlSeconds: 90,
      refreshTtlSeconds: 43_200,
      sessionMaxDays: 90,
      passwordLogin: false,
      oidc: {
        issuer: 'https://id.example.com/realm',
        clientId: 'gateway',
        clientSecret: 'openid-secret',
        name: 'Example Corp',
        scopes: 'openid email',
        allowedDomains: ['example.com', 'example.org'],
        roles: {
          claim: 'groups',
          map: new Map([
            ['Ops Team', 'admin'],
            ['cn=Desk', 'approver'],
          ]),
        },
      },
      allowRegistration: true,
      setupToken: 'token',
      adminEmail: 'ada@example.com',
    });
    expect(config.crypto).toMatchObject({ previousEncryptionSecret: 'p'.repeat(32), encryptionSalt: 'salt' });
    expect(config.risk).toMatchObject({
      llmModel: 'model',
      llmTimeoutMs: 250,
      promptMaxBytes: 4096,
      threshold: 0,
      cacheSeconds: 0,
      assessHeld: false,
    });
    expect(config.approvals).toEqual({ pendingTtlHours: 2, executeTtlHours: 3, denialHoldsHours: 0 });
    expect(config.agents).toEqual({
      bodyMaxBytes: 20_000_000,
      streamMaxBytes: 5_000_000,
      streamMaxSeconds: 60,
      maxInFlight: 4,
      maxBufferedBytes: 5 * 1024 * 1024,
      maxPending: 6,
      maxHeldBytes: 8 * 1024 * 1024,
      maxStoredBytes: 7 * 1024 * 1024,
    });
    expect(config.egress.privateTargetAllowlist).toEqual(new Set(['intranet:8080', '[::1]:9000']));
    expect(config.audit.retentionDays).toBe(30);
    expect(config.metrics).toEqual({ token: 'm'.repeat(16), port: 9090, host: '10.0.0.9', agentDetail: true });
    // No service may lead to them.
    expect([...config.egress.ownTargets]).toEqual(expect.arrayContaining(['127.0.0.1:9090', '10.0.0.9:9090']));
  });

  it.each([
    ['https://Gate.Example.test', 'https://gate.example.test'],
    ['https://gate.example.test:443/', 'https://gate.example.test'],
    ['HTTPS://GATE.example.test', 'https://gate.example.test'],
    ['http://gate.example.test:80', 'http://gate.example.test'],
    ['https://gate.example.test:8443', 'https://gate.example.test:8443'],
    ['https://tür.example.test', 'https://xn--tr-xka.example.test'],
    ['https://[2001:DB8::1]', 'https://[2001:db8::1]'],
  ])('uses PUBLIC_URL %s in one spelling', (given, used) => {
    const { http, summary } = loadConfig({ ...GOOD, PUBLIC_URL: given });
    expect(http.publicUrl).toBe(used);
    expect(summary).toContainEqual({ name: 'PUBLIC_URL', value: used, secret: false });
  });

  it('lists all missing variables together', () => {
    expect(readFaults({})).toEqual(Object.keys(GOOD).map((name) => `${name} is required`));
  });

  it('treats an empty variable as not set', () => {
    expect(readFaults({ ...GOOD, PORT: '', LLM_MODEL: ' ', JWT_SECRET: '  ' })).toEqual(['JWT_SECRET is required']);
  });

  it.each([
    ['METRICS_TOKEN', 'm'.repeat(15), 'must have at least 16 characters'],
    ['METRICS_TOKEN', `${'m'.repeat(16)} m`, 'must have no spaces'],
    ['METRICS_PORT', '3000', 'must be another port than PORT'],
    ['METRICS_DETAIL', 'all', 'must be one of agents'],
    ['DATABASE_URL', 'mysql://db/x', 'must be a PostgreSQL connection string'],
    ['DATABASE_URL', 'nonsense', 'must be a PostgreSQL connection string'],
    ['ENCRYPTION_SECRET', 'e'.repeat(31), 'must have at least 32 characters'],
    ['ENCRYPTION_SECRET_PREVIOUS', 'p'.repeat(31), 'must have at least 32 characters'],
    ['LLM_BASE_URL', 'ftp://llm.example', 'must be an http or https URL'],
    ['LLM_BASE_URL', 'llm.example', 'must be an http or https URL'],
    ['PORT', '65536', 'must be an integer from 0 to 65535'],
    ['PORT', '80.5', 'must be an integer'],
    ['PORT', '-1', 'must be an integer'],
    ['PORT', '0x50', 'must be an integer'],
    ['PORT', 'http', 'must be an integer'],
    ['JWT_ACCESS_EXPIRY', '15', 'must be a number with a unit'],
    ['JWT_ACCESS_EXPIRY', '15 m', 'must be a number with a unit'],
    ['JWT_ACCESS_EXPIRY', '0m', 'must be a number with a unit'],
    ['JWT_REFRESH_EXPIRY', '1w', 'must be a number with a unit'],
    ['LLM_TIMEOUT_MS', 'soon', 'must be an integer'],
    ['LLM_TIMEOUT_MS', '0', 'must be an integer'],
    ['LLM_PROMPT_MAX_BYTES', '4095', 'must be an integer from 4096 to 1048576'],
    ['RISK_THRESHOLD', '1.01', 'must be a number from 0.0 to 1.0'],
    ['RISK_THRESHOLD', '-0.1', 'must be a number from 0.0 to 1.0'],
    ['RISK_THRESHOLD', 'NaN', 'must be a number from 0.0 to 1.0'],
    ['APPROVAL_EXECUTE_TTL_HOURS', '1.5', 'must be an integer'],
    ['APPROVAL_EXECUTE_TTL_HOURS', '0', 'must be an integer'],
    ['NODE_ENV', 'staging', 'must be one of development, production'],
    ['LOG_LEVEL', 'loud', 'must be one of'],
    ['ALLOW_REGISTRATION', 'yes', 'must be one of true, false'],
    ['DATABASE_MIGRATE', '1', 'must be one of true, false'],
    ['DATABASE_POOL_SIZE', '1', 'must be an integer from 2'],
    ['PUBLIC_URL', 'gateway.example', 'must be an http or https URL'],
    ['PUBLIC_URL', 'https://gateway.example/path', 'must have no path, query or password'],
    ['PUBLIC_URL', 'https://gateway.example/?a=b', 'must have no path, query or password'],
    ['PUBLIC_URL', 'https://user:pw@gateway.example', 'must have no path, query or password'],
    ['TRUST_PROXY', 'maybe', 'must be true, false, a number of hops, or addresses'],
    ['TRUST_PROXY', 'Loopback', 'must be true, false, a number of hops, or addresses'],
    ['TRUST_PROXY', 'deadbeef', 'must be true, false, a number of hops, or addresses'],
    ['TRUST_PROXY', '1.2.3.4/99', 'must be true, false, a number of hops, or addresses'],
    ['TRUST_PROXY', '64:ff9b::1.2.3.4', 'must be true, false, a number of hops, or addresses'],
    ['TRUST_PROXY', '127.1', 'must be true, false, a number of hops, or addresses'],
    ['CORS_ORIGINS', 'https://a.example/path', 'must be a list of origins'],
    ['CORS_ORIGINS', '*', 'must be a list of origins'],
    ['PRIVATE_TARGET_ALLOWLIST', 'intranet', 'must be a list of host:port'],
    ['PRIVATE_TARGET_ALLOWLIST', 'intranet:70000', 'must be a list of host:port'],
    ['ADMIN_EMAIL', 'ada@example.com', 'must be set together'],
    ['ADMIN_PASSWORD', 'a long password', 'must be set together'],
    ['ADMIN_PASSWORD', 'short', 'must have 12 to 128 characters'],
    ['RISK_CACHE_SECONDS', '-1', 'must be an integer'],
    ['AUDIT_RETENTION_DAYS', 'forever', 'must be an integer'],
    ['BODY_MAX_BYTES', '100000000', 'must be an integer'],
  ])('refuses %s=%s and names the rule but not the value', (name, value, rule) => {
    const faults = readFaults(withSetting(name, value));
    expect(faults).toContainEqual(expect.stringContaining(rule));
    expect(faults.join('\n')).toContain(name);
    if (value.length > 4 && !/^\d/.test(value)) expect(faults.join('\n')).not.toContain(value);
  });

  it('throws only lists of faults, and never shows a value', () => {
    const names = loadConfig(GOOD).summary.map(({ name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ minLength: 1 }), (name, noise) => {
        const value = `planted-${noise}-planted`;
        expect(readFaults(withSetting(name, value)).join('\n')).not.toContain('planted');
      }),
    );
  });

  it('shows secrets in its summary as set or unset', () => {
    const secrets = loadConfig({
      ...GOOD,
      SETUP_TOKEN: 'planted',
      ADMIN_EMAIL: 'planted@example.com',
      ADMIN_PASSWORD: 'planted password',
    });
    const summary = JSON.stringify(secrets.summary);
    for (const value of [...Object.values(GOOD), 'planted']) {
      if (value !== GOOD.LLM_BASE_URL) expect(summary).not.toContain(value);
    }
    expect(secrets.summary).toContainEqual({ name: 'DATABASE_URL', value: 'set', secret: true });
    expect(secrets.summary).toContainEqual({ name: 'ENCRYPTION_SALT', value: 'unset', secret: true });
  });

  it('returns a frozen configuration', () => {
    const config = loadConfig(GOOD);
    expect(Object.isFrozen(config)).toBe(true);
    for (const group of [config.http, config.database, config.auth, config.crypto, config.risk, config.approvals]) {
      expect(Object.isFrozen(group)).toBe(true);
    }
  });
});
