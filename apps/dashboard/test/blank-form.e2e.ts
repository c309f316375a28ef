import type { Service } from '#contracts';
import { DOCUMENTATION_BODY_MAX_BYTES } from '#contracts/limits';
import type { Page } from 'playwright-core';
import { CLIENT_CERTIFICATE } from '../../api/test/support/client-certificates.js';
import { startGateway, type Gateway } from '../../api/test/support/gateway.js';
import { logIn, useChromium } from './support/browser.js';

const chromium = useChromium();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL: 'https://gateway.example.com' });
});
afterAll(() => gateway.close());

const lastCall = () => gateway.upstream.calls.at(-1)!;
const secret = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** Opens the form for any API and fills what every API has. */
async function begin(name: string, way: RegExp, baseUrl = `${gateway.upstream.url}/${name}`): Promise<Page> {
  const page = await chromium.page();
  await logIn(page, gateway.url, '/services/new?api=other');
  await page.getByLabel('Name', { exact: true }).first().fill(name);
  await page.getByLabel('Base URL').fill(baseUrl);
  await page.getByRole('radio', { name: way }).click();
  return page;
}

async function save(page: Page): Promise<Service> {
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('heading', { name: / is saved$/ }).waitFor();
  return (await gateway.admin<Service[]>('GET /services')).at(-1)!;
}

const works = (page: Page) => page.getByText('It works: the API responded with 200').waitFor();

it('puts credentials into headers and query parameters, as its templates say', async () => {
  const page = await begin('templates', /^Custom/);
  await page.getByRole('button', { name: 'Add a header or parameter' }).click();
  await page.getByLabel('Sent in').nth(1).selectOption('Query');
  await page.getByLabel('Name', { exact: true }).nth(2).fill('account');
  await page.getByLabel('Value').nth(1).fill('{{account}}');
  await secret(page, 'Token').fill('typed-token');
  await secret(page, 'account').fill('a-42');
  await save(page);
  await works(page);
  expect(lastCall().headers.authorization).toBe('Token typed-token');
  expect(lastCall().path).toContain('account=a-42');
});

it('signs requests to AWS', async () => {
  const page = await begin('bucket', /^AWS/);
  expect(await page.getByRole('button', { name: 'Test and save' }).isDisabled()).toBe(true);
  await page.getByText('Enter: Region.').waitFor();
  await page.getByLabel('Region').fill('eu-central-1');
  await page.getByLabel('Service, as AWS names it in signatures').fill('s3');
  await secret(page, 'Access key ID').fill('AKIDEXAMPLE');
  await secret(page, 'Secret access key').fill('planted-secret');
  await save(page);
  await works(page);
  expect(lastCall().headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request/,
  );
});

it('sends a user name without a password, and also replaces it by one', async () => {
  const page = await begin('half', /^Username and password/);
  await page.getByLabel('Username').fill('key-as-user');
  const { id } = await save(page);
  await works(page);
  expect(lastCall().headers.authorization).toBe(`Basic ${btoa('key-as-user:')}`);
  await page.goto(`${gateway.url}/dashboard/services/${id}/credentials`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill('next-key');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await dialog.getByText('2 credentials stored').waitFor();
  expect(lastCall().headers.authorization).toBe(`Basic ${btoa('next-key:')}`);
});

it('takes all settings of OAuth 2, and shows the redirect URL of the gateway', async () => {
  const page = await begin('mail', /^OAuth 2 The gateway/);
  await page.getByText('https://gateway.example.com/oauth/callback').waitFor();
  await page.getByLabel('Authorization URL').fill('https://accounts.example.com/authorize');
  await page.getByLabel('Token URL').fill('https://accounts.example.com/token');
  await page.getByLabel('Client ID', { exact: true }).fill('client-1');
  await page.getByLabel('Scopes').fill('read write');
  await page.getByLabel('Client authentication').selectOption('Request body');
  await page.getByRole('button', { name: 'Add a parameter' }).click();
  await page.getByLabel('Parameter').fill('access_type');
  await page.getByLabel('Value').fill('offline');
  await secret(page, 'Client secret').fill('planted-secret');
  const { id, oauth } = await save(page);
  expect(oauth).toEqual({
    grant: 'authorization_code',
    authorizationUrl: 'https://accounts.example.com/authorize',
    tokenUrl: 'https://accounts.example.com/token',
    clientId: 'client-1',
    scopes: ['read', 'write'],
    tokenAuth: 'post',
    extraParams: { access_type: 'offline' },
  });
  await page.getByText('This service is not connected.').waitFor();

  // The scopes can be changed later. Another client would end the connection.
  await page.goto(`${gateway.url}/dashboard/services/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Scopes').fill('read');
  await page.getByLabel('Client ID', { exact: true }).fill('client-2');
  await page.getByText('If you change the client or the provider, the OAuth connection ends.').waitFor();
  await page.getByLabel('Client ID', { exact: true }).fill('client-1');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').first().waitFor();
  expect((await gateway.admin<Service>(`GET /services/${id}`)).oauth).toEqual({ ...oauth, scopes: ['read'] });
});

it('shows a client certificate, and says until when it is valid', async () => {
  const page = await begin('bank', /^Bearer/, 'http://bank.example.com');
  await page.getByRole('checkbox', { name: 'The API requires a client certificate' }).check();
  await page.getByText('A client certificate needs a base URL with https.').waitFor();
  await page.getByLabel('Base URL').fill('https://bank.example.com');
  await secret(page, 'Token').fill('t');
  await page.getByLabel('Client certificate (PEM)').fill(CLIENT_CERTIFICATE.client_cert);
  await page.getByLabel('Private key (PEM)').fill(CLIENT_CERTIFICATE.client_key);
  // Nobody answers at this host.
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByRole('heading', { name: 'bank is saved' }).waitFor();
  const { id, certificate } = (await gateway.admin<Service[]>('GET /services')).at(-1)!;
  expect(certificate).not.toBeNull();
  await page.goto(`${gateway.url}/dashboard/services/${id}`);
  await page.getByText(/^valid until /).waitFor();
});

it('drops the settings of the old authentication when a service gets another authentication', async () => {
  const { id } = await gateway.createService({
    name: 'Moved',
    authType: 'custom',
    auth: { headers: { Authorization: 'Token {{token}}' } },
    credentials: { token: 'stays' },
  });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${id}`);
  const edit = async (way: string) => {
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Authentication').selectOption(way);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await gateway.admin(`POST /services/${id}/test`, {});
    return gateway.admin<Service>(`GET /services/${id}`);
  };
  expect(await edit('Bearer token')).toMatchObject({ authType: 'bearer', auth: null });
  expect(lastCall().headers.authorization).toBe('Bearer stays');
  expect(await edit('Custom')).toMatchObject({
    authType: 'custom',
    auth: { headers: { Authorization: 'Bearer {{token}}' } },
  });
  expect(lastCall().headers.authorization).toBe('Bearer stays');
});

it('asks for the value of a key that a template names and that is not stored', async () => {
  const { id } = await gateway.createService({
    name: 'Grown',
    authType: 'custom',
    auth: { headers: { Authorization: 'Token {{token}}' } },
    credentials: { token: 'stays' },
  });
  const page = await chromium.page();
  await logIn(page, gateway.url, `/services/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await page.getByText('These values are encrypted and stored when you save.').count()).toBe(0);
  await page.getByRole('button', { name: 'Add a header or parameter' }).click();
  await page.getByLabel('Name', { exact: true }).nth(2).fill('X-Account');
  await page.getByLabel('Value').nth(1).fill('a-{{account}}');
  await page.getByText('These values are encrypted and stored when you save.').waitFor();
  await page.getByText('Enter: account.').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  expect(await secret(page, 'Token').count()).toBe(0);
  await secret(page, 'account').fill('planted-42');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').first().waitFor();
  await gateway.admin(`POST /services/${id}/test`, {});
  expect(lastCall().headers).toMatchObject({ authorization: 'Token stays', 'x-account': 'a-planted-42' });
});

describe('the OpenAPI document', () => {
  const pasted = (page: Page) => page.getByRole('textbox', { name: 'OpenAPI document (optional)' });

  it('is typed or pasted, and fills name and base URL until the person changes them', async () => {
    const page = await begin('', /^None/, '');
    await page.getByRole('button', { name: 'Or paste it here' }).click();
    await pasted(page).pressSequentially('info:\n  title: Pets and their owners\n');
    expect(await pasted(page).inputValue()).toBe('info:\n  title: Pets and their owners\n');
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Pets and their owners');
    await page.getByLabel('Name', { exact: true }).first().fill('Pets');
    const document = { openapi: '3.0.0', info: { title: 'Pet shop' }, servers: [{ url: gateway.upstream.url }] };
    await pasted(page).fill(JSON.stringify({ ...document, paths: { '/pets': { get: { summary: 'List pets' } } } }));
    expect(await page.getByLabel('Base URL').inputValue()).toBe(gateway.upstream.url);
    const { id, name } = await save(page);
    expect(name).toBe('Pets');
    await page.goto(`${gateway.url}/dashboard/services/${id}/documentation`);
    await page.getByText('List pets').waitFor();
  });

  it('shows what of it is not read, after it was added and in the list', async () => {
    const page = await begin('', /^None/, '');
    await page.getByRole('button', { name: 'Or paste it here' }).click();
    const item = { get: { summary: 'List pets' }, trace: {} };
    await pasted(page).fill(JSON.stringify({ openapi: '3.0.0', info: { title: 'Pets' }, paths: { '/pets': item } }));
    await page.getByLabel('Base URL').fill(gateway.upstream.url);
    const { id } = await save(page);
    await page.goto(`${gateway.url}/dashboard/services/${id}/documentation`);
    await page.getByText('1 part was not read').click();
    await page.getByText('#/paths/~1pets/trace is not a method that agents can use').waitFor();

    await page.getByRole('button', { name: 'Paste text instead' }).click();
    await page.getByLabel('Title').fill('More');
    const paths = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`pets${index}`, {}]));
    await page.getByLabel('Content').fill(JSON.stringify({ openapi: '3.0.0', paths }));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const notice = page.getByRole('note').filter({ hasText: '120 parts were not read' });
    await notice.getByText('#/paths/pets0 is not a path, because it does not begin with "/"').waitFor();
    await notice.getByText('and 20 more').waitFor();

    // Also on a phone, the list stands below the title, not beside it.
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page.getByRole('cell').filter({ has: page.getByText('1 part was not read') });
    const title = (await row.locator('b').boundingBox())!;
    expect((await row.getByRole('group').boundingBox())!.y).toBeGreaterThanOrEqual(title.y + title.height);
  });

  it('is refused with a message if it is too large, as a file and as text', async () => {
    const page = await begin('', /^None/, '');
    const large = 'x'.repeat(DOCUMENTATION_BODY_MAX_BYTES + 1);
    const file = { name: 'large.yaml', mimeType: 'application/yaml', buffer: Buffer.from(large) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page
      .getByText(/^large.yaml is larger than /)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Or paste it here' }).click();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'x'.repeat(${large.length}));
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('textarea').dispatchEvent(paste);
    }`);
    await page
      .getByText(/^The pasted text is larger than /)
      .first()
      .waitFor();
    expect(await pasted(page).inputValue()).toBe('');
  });
});
