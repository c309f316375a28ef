import type { Effect } from '#contracts/effects';
import { thingsIn, wordsOf } from './names.js';
import { sqlCode } from './sql-code.js';

/** What the statements of an SQL text do. `isRead`: every one of them only selects. */
export interface SqlEffects {
  isRead: boolean;
  /** Whether it stands where the API surely reads it. */
  isDocumented?: boolean;
  /** Whether some of it could not be read. */
  isCut?: boolean;
  effects: Set<Effect>;
}

const TEXT_MAX = 100_000;
const READS = /^\(*\s*(?:select|with|show|describe|desc|explain|values|table|list|use|pragma\s+\w+\s*$)\b/i;
/** The beginnings of statements. Prose begins with the same verbs. */
const BEGINS =
  /^[\s(;]*(?:select\b[^]{0,2000}?\bfrom\b|select\s+[\w.]+\s*\(|select\s+[\d'*]|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\b|insert\s+(?:into|overwrite)|update\s+\S+\s+set\b|delete\s+from|merge\s+into|replace\s+into|(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}(?:table|view|index|schema|database|user|role|function|procedure|task|warehouse|stage|policy|trigger|stream|share|integration|extension|sequence|type|login|pipe|model)\b|truncate\s+\S+|grant\s+|revoke\s+|call\s+[\w.]+\s*\(|exec(?:ute)?\s+\w|copy\s+\S+|show\s+\w+|desc(?:ribe)?\s+\w+|explain\s+\w|begin\b|set\s+\w+\s*(?:=|to\b)|use\s+\w+|unload\s*\(|undrop\s+|declare\s+|do\s+\$|vacuum\b|values\s*\(|list\s+@|(?:remove|rm|put|get)\s+@|export\s+data)/i;

/** Words that change something wherever they stand in a statement. */
const WRITES =
  /\b(?:insert|update|delete|merge|create|alter|drop|truncate|grant|revoke|call|exec|execute|copy|replace\s+into|upsert|unload|into\s+(?:outfile|dumpfile)|attach|detach|load|vacuum|do|set|declare|begin|undrop|remove|import|export|rename|comment\s+on|analy[sz]e|restore|backup|reindex|refresh|lock|kill|shutdown|into)\b|\/\*M?!/i;
/** Functions that do more than compute. */
const ACTING_FUNCTIONS =
  /\b(?:pg_terminate_backend|pg_cancel_backend|pg_read_file|pg_read_binary_file|pg_ls_dir|pg_write\w*|lo_import|lo_export|lo_unlink|dblink\w*|pg_reload_conf|pg_rotate_logfile|set_config|setval|nextval|pg_advisory\w*|xp_\w+|sp_\w+|load_file|sys_exec|sys_eval|system\$\w+|query_to_xml|pg_promote|pg_switch_wal|pg_drop\w*|pg_create\w*|utl_http|utl_file|openrowset|opendatasource|load_extension|writefile|edit|external_query|ai_\w+|remote_\w+|url|file|s3|executable|http_\w+|lo_from_bytea|pg_stat_reset\w*)\s*\(/i;

/** A function whose name is quoted. Quoted names are `name` in `sqlCode`. */
const QUOTED_CALL = /\bname\s*\(/i;
/** Without `ANALYZE`, nothing runs. */
const EXPLAINS = /^explain\s+(?!\(?[^)]{0,200}\banaly[sz]e\b)(?:using\s+\w+\s+)?\w/i;
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
  const isCut = codes.includes(null);
  if (isCut || READ_DIFFERENTLY.test(text)) return { isRead: false, isCut, effects: effects.add('unclear') };
  return { isRead: readings.every(({ isRead }) => isRead), effects };
}

const DIALECTS = ['postgres', 'mysql'] as const;
/**
 * What databases read in ways that `sqlCode` does not know: strings with escapes, dollar quotes, names in brackets, `#`. A
 * statement can hide in them.
 */
const READ_DIFFERENTLY = /\be'|\$\w{0,60}\$|\[[^\]]{0,200}['"]|#|\\'/i;
/** More are read as one, because each costs time. */
const STATEMENTS_MAX = 200;
const CALLED = /([a-z_][\w$.]{0,100})\s*\(/gi;
/** Functions that only compute, and words before a bracket. Others may do anything. */
const PURE_FUNCTIONS = new Set(
  `count sum avg min max median mode stddev stddev_pop stddev_samp variance var_pop var_samp any_value approx_count_distinct
  countif count_if percentile_cont percentile_disc listagg string_agg array_agg json_agg jsonb_agg group_concat object_agg
  row_number rank dense_rank ntile lag lead first_value last_value nth_value over filter within group grouping rollup cube sets
  coalesce nullif ifnull nvl nvl2 iff if isnull zeroifnull greatest least decode case cast convert try_cast safe_cast
  lower upper initcap trim ltrim rtrim length len char_length octet_length substr substring left right lpad rpad replace
  concat concat_ws split split_part position strpos instr reverse repeat format to_char to_number to_date to_timestamp
  regexp_replace regexp_like regexp_matches regexp_substr like ilike contains startswith endswith starts_with ends_with
  quantile quantiles quantileexact quantiletiming quantiletdigest mediancont uniq uniqexact uniqcombined uniqhll12 sumif avgif minif maxif
  argmin argmax grouparray groupuniqarray topk approx_percentile approx_quantiles percentile any anylast arrayjoin arraymap
  arrayfilter arraysum has todate todatetime todatetime64 toyyyymm toyyyymmdd tostartofday tostartofhour tostartofminute
  tostartofweek tostartofmonth tostartofyear tostartofinterval toyear tomonth tohour tominute todayofweek tostring toint32 toint64
  touint32 touint64 tofloat32 tofloat64 today yesterday now64 datename to_unixtime
  formatreadablesize formatreadablequantity formatreadabletimedelta bar multiif notempty empty lengthutf8 positioncaseinsensitive
  tolower toupper jsonextractstring jsonextractint jsonextractfloat jsonextract
  round floor ceil ceiling abs mod power sqrt exp ln log sign trunc truncate random rand
  now date time timestamp datetime year month day hour minute second week quarter dayofweek dayofyear extract date_part
  date_trunc date_add date_sub date_diff dateadd datediff timestampadd timestampdiff timestamp_trunc last_day age interval
  current_date current_timestamp current_time from_unixtime unix_timestamp make_date strftime to_days
  json_extract json_value json_query json_object json_array json_build_object jsonb_build_object jsonb_array_elements
  json_array_elements jsonb_extract_path_text parse_json to_json to_jsonb row_to_json array array_length cardinality unnest
  generate_series flatten lateral md5 sha1 sha256 sha2 hash in exists any all some values as and or not on using from where
  select when then else having by is union with distinct between limit offset join partition order varchar char decimal numeric
  int number float`.split(/\s+/),
);

function effectsOfCode(code: string): SqlEffects {
  const effects = new Set<Effect>();
  const split = code.split(';', STATEMENTS_MAX + 1);
  const statements = (split.length > STATEMENTS_MAX ? [code] : split).map((statement) => statement.trim());
  let isRead = true;
  for (const statement of statements.filter((each) => each !== '')) {
    const acts = ACTING_FUNCTIONS.test(statement) || QUOTED_CALL.test(statement);
    const isKnown = Array.from(statement.matchAll(CALLED)).every(([, name]) => PURE_FUNCTIONS.has(name.toLowerCase()));
    for (const [, name] of statement.matchAll(NAMED))
      if (thingsIn(wordsOf(name)).some(({ kinds }) => kinds.includes('personalData'))) effects.add('personalData');
    if (EXPLAINS.test(statement)) continue;
    if (READS.test(statement) && !WRITES.test(statement) && !acts && isKnown) continue;
    isRead = false;
    if (READS.test(statement) && !isKnown) effects.add('unclear');
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
