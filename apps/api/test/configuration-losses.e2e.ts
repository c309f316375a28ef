import { parse } from 'yaml';
import type { Configuration } from '#contracts';
import { PASSWORD } from './support/accounts.js';
import { configurationFiles, OAUTH, toYaml } from './support/configuration-files.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
});
afterAll(() => gateway?.close());

const { imports, exported, send } = configurationFiles(() => gateway);
const WORKSPACE = 1;
const file = async (): Promise<Required<Configuration>> => parse(await exported(WORKSPACE)) as Required<Configuration>;
const dryRun = (given: Configuration) => imports(WORKSPACE, given, '?dryRun=true');

describe('what goes with a thing that an import deletes', () => {
  it('is everything of a service that has another name in the file', async () => {
    const route = `POST /services/${gateway.service.id}/risk-rules`;
    await gateway.admin(route, { name: 'always', effect: 'require_approval', methods: ['DELETE'] });
    await gateway.admin(route, { name: 'for an hour', effect: 'allow', methods: ['GET'], expiresInMinutes: 60 });
    const document = { type: 'text', title: 'Notes', content: 'Careful' };
    await gateway.admin(`POST /services/${gateway.service.id}/documentation`, document);
    const { action_id } = await gateway.hold();
    const given = await file();
    given.services[0].name = 'Store';
    given.agents[0].services = ['Store'];
    const planned = await dryRun(given);
    const loses = { credentials: ['token'], agents: ['support-bot'], rules: 2, documents: 1, waiting: 1 };
    expect(planned.deleted).toEqual([{ kind: 'service', name: 'Shop', loses, likelyRenamedTo: 'Store' }]);
    expect(planned.created).toContainEqual({ kind: 'service', name: 'Store' });
    const fields = [{ name: 'services', from: ['Shop'], to: ['Store'] }];
    expect(planned.changed).toEqual([{ kind: 'agent', name: 'support-bot', fields }]);
    await gateway.deny(action_id);
    expect((await dryRun(given)).deleted[0].loses).not.toHaveProperty('waiting');
  });

  it('is the keys of an agent, and the file may have it under another name', async () => {
    const given = await file();
    given.agents[0].name = 'help-bot';
    const [deleted] = (await dryRun(given)).deleted;
    expect(deleted).toEqual({
      kind: 'agent',
      name: 'support-bot',
      loses: { keys: true },
      likelyRenamedTo: 'help-bot',
    });
    const other = { ...given.agents[0], keyLifetimeDays: 3 };
    expect((await dryRun({ ...given, agents: [other] })).deleted[0]).not.toHaveProperty('likelyRenamedTo');
    const twins = [given.agents[0], { ...given.agents[0], name: 'twin' }];
    expect((await dryRun({ ...given, agents: twins })).deleted[0]).not.toHaveProperty('likelyRenamedTo');
  });

  it('is the OAuth connection, but not the tokens in it', async () => {
    const credentials = { client_secret: 'secret-2', access_token: 'secret-3', refresh_token: 'secret-4' };
    const drive = await gateway.createService({ name: 'Drive', authType: 'oauth2', oauth: OAUTH, credentials });
    const update = "UPDATE connections SET connected_by_name = 'Ada', connected_at = now() WHERE service_id = $1";
    await gateway.app.database.query(update, [drive.id]);
    const given = await file();
    const others = { ...given, services: given.services.filter(({ name }) => name !== 'Drive') };
    const loses = { credentials: ['client_secret'], connection: true };
    expect((await dryRun(others)).deleted).toEqual([{ kind: 'service', name: 'Drive', loses }]);
  });
});

describe('what goes with a change', () => {
  it('is the connection of another client', async () => {
    const given = await file();
    const drive = given.services.find(({ name }) => name === 'Drive')!;
    drive.oauth = { ...drive.oauth!, clientId: 'other' };
    const [changed] = (await dryRun(given)).changed;
    expect(changed).toMatchObject({ kind: 'service', name: 'Drive', loses: { connection: true } });
    expect(changed.loses).not.toHaveProperty('credentials');
  });

  it('is the credentials that another way to authenticate does not use', async () => {
    const given = await file();
    const shop = given.services.find(({ name }) => name === 'Shop')!;
    shop.authType = 'api_key';
    const planned = await dryRun(given);
    expect(planned.changed).toEqual([
      {
        kind: 'service',
        name: 'Shop',
        fields: [{ name: 'authType', from: 'bearer', to: 'api_key' }],
        loses: { credentials: ['token'] },
      },
    ]);
    // The dry run told the truth.
    expect(await imports(WORKSPACE, given)).toEqual(planned);
    const stored = 'SELECT FROM credentials WHERE service_id = $1';
    expect(await gateway.app.database.query(stored, [gateway.service.id])).toEqual([]);
  });

  it('is nothing if the values that differ are only settings', async () => {
    const given = await file();
    given.settings.undoSeconds = 7;
    given.services.find(({ name }) => name === 'Shop')!.rules![0].methods = ['DELETE', 'POST'];
    expect((await dryRun(given)).changed).toEqual([
      { kind: 'settings', name: 'settings', fields: [{ name: 'undoSeconds', from: 0, to: 7 }] },
      {
        kind: 'rule',
        name: 'Shop / always',
        fields: [{ name: 'methods', from: ['DELETE'], to: ['DELETE', 'POST'] }],
      },
    ]);
  });
});

describe('an import with the digest of a dry run', () => {
  it('is refused if it would do something else by now', async () => {
    const given = await file();
    given.agents[0].keyLifetimeDays = 7;
    const { digest } = await dryRun(given);
    await gateway.createService({ name: 'Late' });
    const refused = await send('PUT', `/workspaces/${WORKSPACE}/import?digest=${digest}`, toYaml(given));
    expect([refused.status, refused.headers.get('X-Error-Code')]).toEqual([409, 'import_changed']);
    const after = await file();
    expect(after.services.map(({ name }) => name)).toContain('Late');
    expect(after.agents[0].keyLifetimeDays).toBeUndefined();
  });

  it('is done if only agents went on working', async () => {
    const given = await file();
    given.services = given.services.filter(({ name }) => name === 'Late');
    given.agents[0].services = ['Late'];
    const planned = await dryRun(given);
    await gateway.hold();
    const done = await imports(WORKSPACE, given, `?digest=${planned.digest}`);
    expect(done.deleted[0].loses).toEqual({ ...planned.deleted[0].loses, waiting: 1 });
    expect(done.digest).toBe(planned.digest);
  });

  it('takes only a digest', async () => {
    const refused = await send('PUT', `/workspaces/${WORKSPACE}/import?digest=1`, toYaml(await file()));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must be a SHA-256 in hex')]);
  });
});
