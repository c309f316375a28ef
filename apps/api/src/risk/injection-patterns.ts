/**
 * How text looks that speaks to the risk model. Written for `plainText`: lower case, single blanks. Each pattern begins
 * with fixed letters, and its repetitions are bounded, so that a search takes a bounded number of steps for each
 * character. Imports nothing.
 */

const WORDS = (atMost: number): string => `(?:[\\w'’-]{1,20} ){0,${atMost}}`;
/** Words that point at the instructions of the model, not at things of the API. */
const EARLIER = '(?:all|any|every|each|previous|prior|preceding|earlier|above|former|your|these|those|other|system)';
const ORDERS =
  '(?:instructions?|rules?|prompts?|guidelines?|guidance|directives?|orders|polic(?:y|ies)|guardrails?|constraints?|restrictions?)';
const NOTHING = '(?:0(?:\\.0+)?(?![\\d.]*\\d)(?! ?[-:–/] ?\\d)|zero\\b)';
const LOW = `(?:${NOTHING}|0\\.[0-4]\\d*\\b|low(?:est)?\\b|minimal\\b|harmless\\b|safe\\b)`;
const REQUEST = '(?:request|call|action|operation|tool call)';
const FINE = '(?:safe|harmless|benign|low[- ]risk|risk[- ]free|no risk|not risky|not dangerous|approved|authori[sz]ed)';
const AUTHORITY =
  '(?:security|safety|compliance|admin\\w{0,12}|operators?|owners?|gateway|human|approvers?|reviewers?|supervisors?|developers?|openai|anthropic|management|legal)';
const JUDGE =
  '(?:risk (?:model|judge|assessor|engine)|(?:ai|llm|language) (?:model|judge|reviewer|assessor)|judge|assessor)';

const PATTERNS = [
  // Orders to forget orders, in several languages.
  // No hyphen is part of a word here, because a text of hyphens could be split into words in thousands of ways.
  `\\b(?:ignore|disregard|forget|override|bypass|skip|neglect)[ -]${WORDS(2)}${EARLIER}[ -]{1,9}(?:[\\w'’]{1,20}[ -]{1,9}){0,5}${ORDERS}\\b`,
  `(?<=(?:^|[\\n.!?:;="'(>]) ?)(?:ignore|disregard|forget|override|bypass)[ -](?:the )?(?:instructions|rules)\\b`,
  `\\b(?:ignore|disregard|forget) (?:everything|all|anything|what)(?: that)?(?: (?:was|is|has been|i|you))? (?:above|before|previous\\w{0,2}|earlier|said|told|written)\\b`,
  `\\b(?:ignorier|missacht|vergiss|vergess)\\w{0,4} (?!(?:sie )?nicht)${WORDS(4)}(?:anweisung|instruktion|regeln|vorgabe|befehl)`,
  `\\b(?:ignore[zr]?|oublie[zr]?) ${WORDS(4)}(?:consignes?|r[èe]gles?|directives?|instructions)\\b`,
  `\\b(?:ignor[ae]|olvid[ae]) ${WORDS(4)}(?:instrucciones|reglas|istruzioni|regole|instru[cç][õo]es|regras)\\b`,
  '(?:忽略|无视|忘记).{0,12}(?:指示|指令|规则|提示)',
  // A verdict, or an order to give one.
  `"score" ?: ?"?[\\d.]{1,8}"? ?, ?"explanation"`,
  `"explanation" ?: ?"[^"]{0,200}" ?, ?"score"`,
  `\\bscore (?:(?:it|this|that|them|every|everything|all|each|any|the|as|with|at|of|to|is|a|requests?|calls?|actions?|risk|must|should|shall|has|have|needs|be|here|for) ){0,6}${NOTHING}`,
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
  '\\[/?inst\\]',
  '<</?sys>>',
  '<(?:start|end)_of_turn>',
  `(?<=(?:^|[\\n"'>#*\\]}.]) ?)(?:system|developer|assistant)(?: (?:message|prompt|note|override|update|notice))?\\*{0,2} ?[:\\n] ?\\*{0,2} ?(?:you|ignore|disregard|score|approve|allow|treat|every|all|from now|always|never|do not|don't|the (?:request|user|agent|gateway)|this (?:request|user|agent|is)|new|override|rate|answer|respond|reply|forward|pre-?approved)\\b`,
  '-{5} ?(?:end|data)(?:[ -][0-9a-f]{32})?[ -]?-{4}',
  // Words to the one who judges.
  `\\byou are (?:now )?(?:(?:a|an|the) )?(?:risk|dan\\b|riskbot|unrestricted|jailbroken|in (?:developer|debug|maintenance|god) mode|no longer bound)`,
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
    '<\\||inst\\]|sys>|_of_turn>|system|developer|assistant|-----',
    'you are |as an ai|judge|assessor|(?:risk|ai|llm|language) (?:model|engine|reviewer)|(?:initial|hidden) (?:message|prompt|instr)',
    'decode and |i am the |approved|(?:request|call|action|operation)s? (?:as|with|at|to|is|was|has|had|are) ',
    '(?:hold|flag|block|escalate|deny|reject|stop) (?:this|the|my|any|these) ',
  ],
  'g',
);
