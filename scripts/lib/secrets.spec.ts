import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecrets } from './secrets.mjs';

const empty = () => Promise.resolve(false);
const inUse = () => Promise.resolve(true);

describe('the secrets of the trial mode', () => {
  let file: string;

  beforeEach(() => {
    file = join(fs.mkdtempSync(join(tmpdir(), 'agent-gateway-secrets-')), 'secrets.json');
  });

  afterEach(() => fs.rmSync(join(file, '..'), { recursive: true }));

  it('are created once, long, different, and readable only by their owner', async () => {
    const secrets = await loadSecrets({ file, databaseHasData: empty });
    const values = Object.values(secrets);
    expect(values).toHaveLength(4);
    expect(new Set(values).size).toBe(4);
    for (const value of values) expect(value).toMatch(/^[0-9a-f]{64}$/);
    if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600);

    expect(await loadSecrets({ file, databaseHasData: inUse })).toEqual(secrets);
  });

  it('are the same for two parallel first starts, with no other file left behind', async () => {
    const [one, other] = await Promise.all([
      loadSecrets({ file, databaseHasData: empty }),
      loadSecrets({ file, databaseHasData: empty }),
    ]);
    expect(one).toEqual(other);
    expect(fs.readdirSync(join(file, '..'))).toEqual(['secrets.json']);
  });

  it('are not created again for a database that has data', async () => {
    await expect(loadSecrets({ file, databaseHasData: inUse })).rejects.toThrow(/the database has data/);
    expect(fs.existsSync(file)).toBe(false);
  });

  it('are completed when only a replaceable secret is missing', async () => {
    const { ENCRYPTION_SECRET, ENCRYPTION_SALT } = await loadSecrets({ file, databaseHasData: empty });
    fs.writeFileSync(file, JSON.stringify({ ENCRYPTION_SECRET, ENCRYPTION_SALT }));
    const completed = await loadSecrets({ file, databaseHasData: inUse });
    expect(completed).toMatchObject({ ENCRYPTION_SECRET, ENCRYPTION_SALT });
    expect(completed.JWT_SECRET).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['', '{"JWT_SECRET":', '[]', 'null'])('are not replaced when the file is damaged: %j', async (damaged) => {
    fs.writeFileSync(file, damaged);
    await expect(loadSecrets({ file, databaseHasData: empty })).rejects.toThrow(/is damaged/);
    expect(fs.readFileSync(file, 'utf8')).toBe(damaged);
  });
});
