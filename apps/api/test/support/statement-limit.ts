import type { DataSource } from 'typeorm';

/** With this many rows and large answers, the statement takes longer on a busy disk than its time limit allows. */
const ROWS_MAX = 1000;

/**
 * From now on, a statement fails if it changes more rows of the table than a busy disk can change within the time
 * limit. It fails immediately with the error of the time limit, so the test needs no slow disk.
 * @param database of a test of its own
 */
export async function limitStatements(database: DataSource, change: 'UPDATE' | 'DELETE', table: string): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION limit_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM changed) > ${ROWS_MAX} THEN
         RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
       END IF;
       RETURN NULL;
     END $$`,
  );
  await database.query(
    `CREATE TRIGGER limit_rows AFTER ${change} ON ${table}
     REFERENCING ${change === 'UPDATE' ? 'NEW' : 'OLD'} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION limit_rows()`,
  );
}
