import type { Effect } from '#contracts/effects';
import { thingsIn, wordsOf } from './names.js';
import { sqlCode } from './sql-code.js';

/** What the statements of an SQL text do. `isRead`: every one of them only selects. */
export interface SqlEffects {
  isRead: boolean;
  /** Whether it stands where the API surely reads it. */
  isDocumented?: boolean;
  effects: Set<Effect>;
}

const TEXT_MAX = 100_000;
const READS = /^\(*\s*(?:select|with|show|describe|desc|explain|values|table|list|use|pragma\s+\w+\s*$)\b/i;
/** The beginnings of statements. Prose begins with the same verbs. */
const BEGINS =
  /^[\s(;]*(?:select\b[^]{0,2000}?\bfrom\b|select\s+[\w.]+\s*\(|select\s+[\d'*]|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\b|insert\s+(?:into|overwrite)|update\s+\S+\s+set\b|delete\s+from|merge\s+into|replace\s+into|(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}(?:table|view|index|schema|database|user|role|function|procedure|task|warehouse|stage|policy|trigger|stream|share|integration|extension|sequence|type|login|pipe|model)\b|truncate\s+\S+|grant\s+|revoke\s+|call\s+[\w.]+\s*\(|exec(?:ute)?\s+\w|copy\s+\S+|show\s+\w+|desc(?:ribe)?\s+\w+|explain\s+\w|begin\b|set\s+\w+\s*(?:=|to\b)|use\s+\w+|unload\s*\(|undrop\s+|declare\s+|do\s+\$|vacuum\b|values\s*\(|list\s+@|(?:remove|rm|put|get)\s+@|export\s+data)/i;

/** Words that change something wherever they stand in a statement. */
const WRITES =
  /\b(?:insert|update|delete|merge|create|alter|drop|truncate|grant|revoke|call|exec|execute|copy|replace\s+into|upsert|unload|into\s+(?:outfile|dumpfile)|attach|detach|load|vacuum|do|set|declare|begin|undrop|remove|import|export|rename|comment\s+on|analyze|reindex|refresh|lock|kill|shutdown|into)\b|\/\*!/i;
/** Functions that do more than compute. */
const ACTING_FUNCTIONS =
  /\b(?:pg_terminate_backend|pg_cancel_backend|pg_read_file|pg_read_binary_file|pg_ls_dir|pg_write\w*|lo_import|lo_export|lo_unlink|dblink\w*|pg_reload_conf|pg_rotate_logfile|set_config|setval|nextval|pg_advisory\w*|xp_\w+|sp_\w+|load_file|sys_exec|sys_eval|system\$\w+|query_to_xml|pg_promote|pg_switch_wal|pg_drop\w*|pg_create\w*|utl_http|utl_file|openrowset|opendatasource|load_extension|writefile|edit|external_query|ai_\w+|remote_\w+|url|file|s3|executable|http_\w+|lo_from_bytea|pg_stat_reset\w*)\s*\(/i;

/** Without `ANALYZE`, nothing runs. */
const EXPLAINS = /^explain\s+(?!\(?[^)]{0,200}\banalyze\b)(?:using\s+\w+\s+)?\w/i;
/** The tables of a statement. */
const NAMED = /\b(?:from|into|update|join|table)\s+([\w.]+)/gi;

/** Whether a text begins like SQL. */
export const isSql = (text: string): boolean => BEGINS.test(withoutComments(text.slice(0, 2000)));

const withoutComments = (text: string): string => text.replace(/^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*/, '');

export function sqlEffects(text: string): SqlEffects {
  const codes = text.length > TEXT_MAX ? [null] : DIALECTS.map((dialect) => sqlCode(text, dialect));
  // The rest may still say what it does.
  const readings = codes.map((code) => effectsOfCode(code ?? text.slice(0, TEXT_MAX)));
  const effects = new Set(readings.flatMap((reading) => [...reading.effects]));
  if (codes.includes(null)) return { isRead: false, effects: effects.add('unclear') };
  return { isRead: readings.every(({ isRead }) => isRead), effects };
}

const DIALECTS = ['postgres', 'mysql'] as const;

function effectsOfCode(code: string): SqlEffects {
  const effects = new Set<Effect>();
  const statements = code.split(';').map((statement) => statement.trim());
  let isRead = true;
  for (const statement of statements.filter((each) => each !== '')) {
    const acts = ACTING_FUNCTIONS.test(statement);
    for (const [, name] of statement.matchAll(NAMED))
      if (thingsIn(wordsOf(name)).some(({ kinds }) => kinds.includes('personalData'))) effects.add('personalData');
    if (EXPLAINS.test(statement)) continue;
    if (READS.test(statement) && !WRITES.test(statement) && !acts) continue;
    isRead = false;
    if (acts) effects.add('code');
    for (const effect of effectsOfStatement(statement)) effects.add(effect);
  }
  return { isRead, effects };
}

const KINDS: readonly [RegExp, readonly Effect[]][] = [
  [/\b(?:drop|truncate)\b/i, ['delete', 'bulk']],
  [/\bdelete\b/i, ['delete']],
  [/\b(?:merge|insert\s+overwrite|replace\s+into)\b|\bcreate\s+or\s+replace\s+(?:transient\s+)?table\b/i, ['bulk']],
  [/\b(?:unload|copy|into\s+(?:outfile|dumpfile)|export)\b/i, ['bulk']],
  [/^(?:remove|rm)\b/i, ['delete', 'bulk']],
  [
    /\b(?:grant|revoke|masking\s+policy|row\s+access\s+policy|network\s+policy|row\s+level\s+security|disable\s+trigger|security\s+definer)\b/i,
    ['permissions'],
  ],
  [
    /\b(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:user|role|login|group|account|policy|share|database\s+role)\b|\bowner\s+to\b/i,
    ['permissions'],
  ],
  [
    /\b(?:password|identified\s+by|rsa_public_key|secret|storage\s+integration|api\s+integration|notification\s+integration|credentials)\b/i,
    ['credentials'],
  ],
  [
    /\b(?:function|procedure|trigger|task|call|exec|execute|do|declare|language|system|program|extension|job|pipe|event)\b/i,
    ['code'],
  ],
];

function effectsOfStatement(statement: string): Effect[] {
  const effects = KINDS.flatMap(([pattern, found]) => (pattern.test(statement) ? found : []));
  const at = statement.search(CHANGES);
  if (at === -1) return effects;
  const where = statement.slice(at).search(WHERE);
  // One row is found by an equality, and nothing else.
  if (where === -1 || !isOneRow(statement.slice(at + where + 'where'.length))) effects.push('bulk');
  return effects;
}

const CHANGES = /\b(?:update|delete)\b/i;
const WHERE = /\bwhere\b/i;
const isOneRow = (condition: string): boolean =>
  /^\s*[\w.]*(?:id|key|number|no|code|uuid|sku|slug|email|name)\s*=\s*(?:''|[\w:$?.]+)\s*(?:returning\b.*)?$/is.test(
    condition,
  );
