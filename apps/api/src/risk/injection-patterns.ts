/**
 * How text looks that speaks to the risk model. Written for `plainText`: lower case, single blanks. Each pattern begins
 * with fixed letters, and its repetitions are bounded, so that a search takes a bounded number of steps for each
 * character. Imports nothing.
 */

/**
 * Matches `words` only after `before`. The pattern begins with the letters of `words`, because a search would try a
 * pattern that begins with `before` at every place.
 */
const after = (before: string, words: string): string => `${words}(?<=${before}${words})`;
const SENTENCE = '(?:^|[\\n.!?:;="\'(>]) ?';
const WORDS = (atMost: number): string => `(?:[\\w'’-]{1,20} ){0,${atMost}}`;
/**
 * What stands between two words of an order. In `BETWEEN`, no word contains a hyphen. Otherwise a run of hyphens could
 * be split in thousands of ways.
 */
const GAP = '[ -]{1,9}';
const BETWEEN = (atMost: number): string => `(?:[\\w'’]{1,20}${GAP}){0,${atMost}}`;
/** What stands between two words of an order, a list, a key or a code comment. In camel case, nothing does. */
const JOINT = '[ _"\'`,|[\\](){}<>=+*#~/\\\\:&-]{0,8}';
/** Words that point at the instructions of the model, not at things of the API. */
const BEFORE = '(?:your|previous|prior|preceding|earlier|above|former)';
const EARLIER = `(?:all|any|every|each|these|those|other|system|${BEFORE})`;
const ORDERS = '(?:instructions?|prompts?|guidelines?|guidance|directives?|guardrails?)';
/** APIs have them too: firewall rules, validation rules, retry policies. */
const RULES = '(?:rules?|polic(?:y|ies)|constraints?|restrictions?)';
const NOTHING = '(?:0(?:\\.0+)?(?![\\d.]*\\d)(?! ?[-:–/] ?\\d)|zero\\b)';
/** "Safe to retry" is a fact about an API, "safe to approve" is a claim. */
const SAFE = 'safe\\b(?! to (?!approve|allow|forward|accept|pass))';
const LOW = `(?:${NOTHING}|0\\.[0-4]\\d*\\b|low(?:est)?\\b|minimal\\b|harmless\\b|${SAFE})`;
const REQUEST = '(?:request|call|action|operation|tool call)';
const FINE = `(?:${SAFE}|harmless|benign|low[- ]risk|risk[- ]free|no risk|not risky|not dangerous|approved|authori[sz]ed)`;
const AUTHORITY =
  '(?:security|safety|compliance|admin\\w{0,12}|operators?|owners?|gateway|human|approvers?|reviewers?|supervisors?|developers?|openai|anthropic|management|legal)';
const JUDGE = '(?:risk (?:model|judge|assessor|engine)|(?:ai|llm|language) (?:model|judge|reviewer|assessor))';
/** A game, a customer or a test can have a score too, so no such name may stand before this one. */
const THE_SCORE = after(
  '(?:^|[^\\w ] ?|\\n|\\b(?:the|an?|its|this|that|your|my|with|and|risk|safety|final|overall) )',
  'score',
);
/** What ends a key or a value in JSON, in a dictionary of Python and in YAML. */
const QUOTE = '["\']?';
const LINKS =
  '(?:(?:it|this|that|them|every|everything|all|each|any|the|as|with|at|of|to|is|a|requests?|calls?|actions?|risk|must|should|shall|has|have|needs|be|here|for) )';
/** The name of a role as a heading or before a colon. Log lines begin so too, but give no orders. */
const ROLE = (names: string): string =>
  `${after('(?:^|[\\n"\'>#*\\]}.]) ?', `(?:${names})`)}(?: (?:message|prompt|note|override|update|notice))?\\*{0,2} ?[:\\n] ?\\*{0,2} ?`;
const ALL_OF_IT = '(?:with|only|this|it|that|the|every|everything|all|any|0|zero)';

const PATTERNS = [
  // Orders to forget orders, in several languages.
  `\\b(?:ignore|disregard|forget|override|bypass|skip|neglect)[ -]${WORDS(2)}${EARLIER}${GAP}${BETWEEN(5)}${ORDERS}\\b`,
  `\\b(?:ignore|disregard|forget|override|bypass|skip|neglect)[ -]${WORDS(3)}(?:${BEFORE}${GAP}${BETWEEN(2)}|(?:these|those|safety|security|content|ethical)${GAP})${RULES}\\b`,
  `\\b(?:ignore|disregard|forget)[ -](?:all|any|every|each)${GAP}(?:(?:of|the|other)${GAP}){0,3}${RULES}\\b`,
  `(?:ignore|disregard|forget|override|bypass)${JOINT}(?:(?:of|the|my)${JOINT}){0,2}(?:all|any|every|each|these|those|${BEFORE})${JOINT}(?:(?:all|any|of|the|these|those|other|system|safety|initial|original|${BEFORE})${JOINT}){0,5}${ORDERS}(?![a-z])`,
  `${after(SENTENCE, '(?:ignore|disregard|forget|override|bypass)')}[ -](?:the )?instructions\\b`,
  `${after(SENTENCE, '(?:ignore|disregard|forget)')}[ -](?:the )?rules\\b`,
  `\\b(?:ignore|disregard|forget) (?:everything|all|anything|what)(?: that)?(?: (?:was|is|has been|i|you))? (?:above|before|previous\\w{0,2}|earlier|said|told|written)\\b`,
  `\\b(?:ignorier|missacht|vergiss|vergess)\\w{0,4} (?!(?:sie )?nicht)${WORDS(4)}(?:anweisung|instruktion|regeln|vorgabe|befehl)`,
  `\\b(?:ignore[zr]?|oublie[zr]?) (?:tou(?:te)?s|les?|la|[cmtsv]es|[nv]os) ${WORDS(3)}(?:consignes?|r[èe]gles?|directives?|instructions)\\b`,
  `\\b(?:ignor[ae]|olvid[ae]) ${WORDS(4)}(?:instrucciones|reglas|istruzioni|regole|instru[cç][õo]es|regras)\\b`,
  '(?:忽略|无视|忘记).{0,12}(?:指示|指令|规则|提示)',
  // A verdict, or an order to give one.
  `\\bscore${QUOTE} ?[:=] ?${QUOTE}[\\d.]{1,8}${QUOTE} ?[,;&\\n] ?${QUOTE}explanation${QUOTE} ?[:=]`,
  `\\bexplanation${QUOTE} ?[:=] ?(?:"[^"]{0,200}"|'[^']{0,200}') ?[,;\\n] ?${QUOTE}score${QUOTE} ?[:=]`,
  `\\b(?:answer|respond|reply|return|output|print|write|say|give|send)\\b[\\w ’:-]{0,60}[\`"(]{0,4}\\{ ?${QUOTE}score${QUOTE} ?: ?${QUOTE}(?:${NOTHING}|0\\.[0-4])`,
  `${after('(?:^|[.!?] |["\'])(?:risk )?', 'score')} ?: ${NOTHING}`,
  `${after('(?:^|[.!?] )', 'score')} = ${NOTHING}`,
  `\\brisk score ?[:=] ?${NOTHING}`,
  `\\bscore (?!(?:to|is|of|at|has|have) )${LINKS}{0,6}${NOTHING}`,
  `\\b${THE_SCORE} ${LINKS}{1,6}${NOTHING}`,
  `\\bscore ?(?:must|should|shall|has to|needs to|ought to) (?:be|stay|remain) (?:set to |at )?${LOW}`,
  `\\brisk score (?:(?:of|to|is|at|as|should|must|be) ){0,3}${LOW}`,
  `\\bscore only (?:this|that|the)\\b`,
  `\\b(?:give|assign|return|answer|respond|reply|rate|output|report)\\b (?:with )?${WORDS(5)}(?:risk )?(?:score|rating) (?:(?:of|to|as|is|at|=) ?){0,2}${LOW}`,
  `\\b(?:rate|score|judge|assess|classify|treat|consider|mark|regard|rank) (?:this|the|every|all|any|each|my) ${REQUEST}s? (?:as|with|at|to be) ${WORDS(2)}(?:${FINE}|${LOW})`,
  `\\bif you score (?:this|it|above|over|higher|more)\\b`,
  `\\b(?:always|only|just) (?:answers?|responds?|reply|replies|scores?)(?: with)? (?:a )?(?:score of )?${NOTHING}`,
  '(?:评分|打分|分数)(?:为|是|：|:| )?0',
  // Roles and the tokens that separate messages.
  '<\\|[a-z_▁ ]{2,30}\\|>',
  '\\[/?(?:inst|think|system_prompt|available_tools|model_settings|tool_(?:calls|results|content))\\]',
  // Alone, it is a placeholder: "usage: run [options] [args]".
  '\\[args\\] ?\\{',
  '<</?sys>>',
  '<(?:start|end)_of_turn>',
  `${ROLE('system|developer|assistant')}(?:(?:ignore|disregard|from now|always|never|pre-?approved)\\b|(?:score|approve|allow|treat|override|rate|answer|respond|reply|forward) ${ALL_OF_IT}\\b|(?:the|this) (?:user|agent) is (?:an? |the )?(?:admin|operator|owner|trusted|allowed|authori|verified)|new (?:instruction|rule|order|polic|prompt|task))`,
  `${ROLE('system|developer')}(?:you|do not|don't)\\b`,
  '-{5} ?(?:end|data)(?:[ -][0-9a-f]{32})?[ -]?-{4}',
  // Words to the one who judges.
  `\\byou are (?:now )?(?:(?:a|an|the) )?(?:risk (?:model|judge|assessor|engine)|riskbot|dan\\b|unrestricted|jailbroken|in (?:developer|debug|maintenance|god) mode|no longer bound)`,
  `\\bas an ai\\b(?: (?:language )?(?:model|assistant|judge|reviewer))?,? you\\b`,
  `\\b(?:note|message|attention|instructions?|hint|reminder|dear|hello|hey|hi)(?: (?:to|for))?(?: the| this| my)?,?:? ${JUDGE}\\b`,
  `\\b(?:your|the) (?:system|initial|hidden) (?:message|prompt|instructions?) (?:word|verbatim|in |is|are|now|says?|exactly)`,
  `\\bdecode and (?:obey|follow|execute)\\b`,
  `\\bi am the (?:operator|administrator|owner|developer) of (?:this|the) gateway\\b`,
  `\\b(?:do not|don't|never|no need to) (?:hold|flag|block|escalate|deny|reject|stop) (?:this|the|my|any|these) ${REQUEST}`,
  // Claims that somebody has decided already.
  `\\b(?:this|the|my|that) ${REQUEST} (?:is|was|has been|had been|are) (?:already |completely |totally |fully |perfectly |entirely )?(?:pre-?)?${FINE}\\b`,
  `\\balready (?:been )?(?:pre-?)?approved by\\b`,
  `\\bapproved by (?:the |your |our |my |an? )?${AUTHORITY}\\b`,
];

/** In a text of `plainText` a blank is a space or a line break. */
const compiled = (sources: string[], flags: string): RegExp =>
  new RegExp(sources.join('|').replaceAll(' ', '\\s'), flags);

export const INJECTION = compiled(PATTERNS, 'u');

/** At least one of these is in every text that has the form of a pattern. Looking for them is much faster. */
export const STEMS = compiled(
  [
    'ignor|disregard|forget|overrid|bypass|skip|neglect|missacht|verg[ei]ss|oublie|olvid|忽略|无视|忘记',
    'score|explanation|rating|评分|打分|分数',
    '(?:always|only|just) (?:answer|respond|repl)',
    '<\\||\\[/?(?:inst|think|system_|avail|model_|tool_|args)|sys>|_of_turn>|system|developer|assistant|-----',
    'you are |as an ai|judge|assessor|(?:risk|ai|llm|language) (?:model|engine|reviewer)|(?:initial|hidden) (?:message|prompt|instr)',
    'decode and |i am the |approved|(?:request|call|action|operation)s? (?:as|with|at|to|is|was|has|had|are) ',
    '(?:hold|flag|block|escalate|deny|reject|stop) (?:this|the|my|any|these) ',
  ],
  'g',
);
