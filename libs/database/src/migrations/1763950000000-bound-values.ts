import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: [table: string, columns: string[]][] = [
  ['credentials', ['encrypted_value']],
  ['callbacks', ['encrypted_secret', 'encrypted_previous_secret']],
];

/**
 * Encrypted values are now bound to the row that they belong to. Values of older releases are not: they are marked, so
 * that the gateway can tell them apart, and encrypts them again at its next start. Where there are none, the database
 * refuses them from now on. Encrypting the same value again does not change a service, so it does not increment the
 * version.
 */
export class BoundValues1763950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER credentials_version ON credentials;
      CREATE TRIGGER credentials_version AFTER INSERT OR UPDATE OR DELETE ON credentials FOR EACH ROW
        WHEN (current_setting('agent_gateway.same_values', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION count_up_service();
      SELECT set_config('agent_gateway.same_values', 'on', true);
    `);
    for (const [table, columns] of TABLES) {
      const [, rows] = (await runner.query(
        `UPDATE ${table} SET ${columns.map((column) => `${column} = 'unbound:' || ${column}`).join(', ')}`,
      )) as [unknown, number];
      if (rows > 0) continue;
      const bound = columns.map((column) => `coalesce(${column}, '') NOT LIKE 'unbound:%'`).join(' AND ');
      await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_bound CHECK (${bound})`);
    }
    await runner.query(`SELECT set_config('agent_gateway.same_values', 'off', true)`);
  }

  /** A value that is bound by now stays, and an older release can't read it: its owner enters it again. */
  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of TABLES) {
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_bound`);
      for (const column of columns) {
        await runner.query(`UPDATE ${table} SET ${column} = substr(${column}, 9) WHERE ${column} LIKE 'unbound:%'`);
      }
    }
    await runner.query(`
      DROP TRIGGER credentials_version ON credentials;
      CREATE TRIGGER credentials_version AFTER INSERT OR UPDATE OR DELETE ON credentials
        FOR EACH ROW EXECUTE FUNCTION count_up_service();
    `);
  }
}
