import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSteps } from './steps.js';

/**
 * Partitions `audit_records` by the time in the id. The table that is there becomes the first partition, and no row is
 * written: the check of its range is validated beside the load, and one short transaction renames and attaches. The
 * release before goes on writing. Later months are cut off ahead (`RecordMonths`).
 */
export class RecordPartitions1764500000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const { step, attempt } = inSteps(runner);
    const unless = `EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = 'audit_records'::regclass)`;
    await step(ADD_CHECK, { unless });
    await step('ALTER TABLE audit_records VALIDATE CONSTRAINT audit_records_range', { unless });
    await attempt(async () => {
      const [{ done }] = (await runner.query(`SELECT ${unless} AS done`)) as { done: boolean }[];
      if (!done) await runner.query(PARTITION);
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_records RENAME TO audit_records_partitioned;
      CREATE TABLE audit_records (LIKE audit_records_partitioned INCLUDING DEFAULTS) WITH (fillfactor = 50);
      INSERT INTO audit_records SELECT * FROM audit_records_partitioned;
      CREATE TEMPORARY TABLE found AS
        SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = 'audit_records_partitioned'::regclass
          AND NOT indisprimary;
      CREATE TEMPORARY TABLE found_triggers AS
        SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgrelid = 'audit_records_partitioned'::regclass;
      DROP TABLE audit_records_partitioned;
      ALTER TABLE audit_records ADD CONSTRAINT audit_records_pkey PRIMARY KEY (id);
      DO $$
        DECLARE text text;
        BEGIN
          FOR text IN SELECT definition FROM found LOOP
            EXECUTE replace(replace(text, ' ONLY', ''), 'audit_records_partitioned', 'audit_records');
          END LOOP;
          FOR text IN SELECT definition FROM found_triggers LOOP
            EXECUTE replace(text, 'audit_records_partitioned', 'audit_records');
          END LOOP;
        END $$;
      DROP TABLE found, found_triggers;
    `);
  }
}

/** The first id of the first month that begins in a month or later. */
const BOUND = `(lpad(to_hex((extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC' + interval '2 months' - interval '1 microsecond')
  AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;

/** A migration that was killed here begins again. */
const ADD_CHECK = `
  DO $$ BEGIN
    ALTER TABLE audit_records DROP CONSTRAINT IF EXISTS audit_records_range;
    EXECUTE format('ALTER TABLE audit_records ADD CONSTRAINT audit_records_range CHECK (id < %L) NOT VALID', ${BOUND});
  END $$`;

/** An index of a partition that is like one of the table becomes its part, and is not built again. */
const PARTITION = `
  DO $$
  DECLARE
    bound uuid := (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f-]{36}') FROM pg_constraint
      WHERE conname = 'audit_records_range' AND conrelid = 'audit_records'::regclass);
    texts text[] := ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index
      WHERE indrelid = 'audit_records'::regclass AND NOT indisprimary ORDER BY indexrelid);
    triggers text[] := ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger
      WHERE tgrelid = 'audit_records'::regclass AND NOT tgisinternal);
    each text;
  BEGIN
    LOCK TABLE audit_records IN ACCESS EXCLUSIVE MODE;
    FOR each IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'audit_records'::regclass AND NOT tgisinternal LOOP
      EXECUTE format('DROP TRIGGER %I ON audit_records', each);
    END LOOP;
    FOR each IN SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'audit_records'::regclass LOOP
      EXECUTE format('ALTER INDEX %I RENAME TO %I', each, each || '_first');
    END LOOP;
    ALTER TABLE audit_records RENAME TO audit_records_first;
    CREATE TABLE audit_records (LIKE audit_records_first INCLUDING DEFAULTS, CONSTRAINT audit_records_pkey PRIMARY KEY (id))
      PARTITION BY RANGE (id);
    FOREACH each IN ARRAY texts LOOP EXECUTE each; END LOOP;
    FOREACH each IN ARRAY triggers LOOP EXECUTE each; END LOOP;
    -- Who may read the table still may.
    FOR each IN SELECT format('GRANT %s ON audit_records TO %s%s', a.privilege_type,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
      FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'audit_records_first'::regclass AND a.grantee <> c.relowner
    LOOP
      EXECUTE each;
    END LOOP;
    EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION audit_records_first FOR VALUES FROM (MINVALUE) TO (%L)', bound);
    ALTER TABLE audit_records_first DROP CONSTRAINT audit_records_range;
    CREATE TABLE audit_records_rest (LIKE audit_records INCLUDING DEFAULTS) WITH (fillfactor = 50);
    EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION audit_records_rest FOR VALUES FROM (%L) TO (MAXVALUE)', bound);
  END $$`;
