import type { Effect } from '#contracts/effects';

/** Who means to do one of these says so. */
const STRONG = ['delete', 'money', 'permissions', 'credentials'] as const satisfies readonly Effect[];
export type StrongEffect = (typeof STRONG)[number];

/**
 * Beginnings of the words with which people speak of it, and whole words (`=`). They are many: silence costs less than a
 * false alarm.
 */
const SPOKEN: Record<StrongEffect, string> = {
  delete:
    'delet remov eras drop clear clean purg wip truncat destroy cancel clos archiv discard revok withdraw unpublish unsubscrib unlink unassign unstar unfollow detach dismiss disconnect deprovision decommission terminat retir expir evict flush reset replac revert rollback undo void reject declin prun trim tidy trash empt kill stop end= ends= take= taking= taken= get= rid= gone= old= obsolete unused stale duplicate dedup deactivat disabl offboard leav',
  money:
    'pay paid= refund charg transfer money price pricing cost invoic bill credit debit fee fees= amount euro dollar pound cent cents= usd= eur= gbp= purchas buy bought= order sell sale sold= subscri discount coupon voucher promo budget salar wage bonus reimburs compensat donat deposit withdraw balance bank wir settl captur checkout cart quot offer plan upgrad downgrad fund loan tax revenue cash expens spend spent= book reserv hire rent lease deal trial goodwill return dispute chargeback card gift tip= tips= iban stripe due= owe trade stock bid= bet= renew claim insur top-up topup payroll commission',
  permissions:
    'access permission permit role admin owner grant give giving= given= gave= revok shar invit member collaborat contribut public privat visib privileg right rights= polic allow deny denied= block ban= banned= unban lock unlock protect team group scope promot demot secur restrict authori author approv role assign unassign join onboard offboard add= added= adding= remov user users= seat account let= lets= open= opens= viewer view= editor edit= reader write= can= guest sso= saml= login publish suspend activat reactivat enabl disabl firewall ingress rule expos link anyone everyone',
  credentials:
    'secret credential passw passphrase token key keys= webhook hook hooks= certificat cert= certs= rotat login log-in sign-in signin sign auth oauth ssh= mfa= 2fa= otp= passkey callback endpoint integrat connect forward notif url= urls= uri env= environment variable config setting vault encrypt decrypt secur access hmac pin= session subscri listen deliver destination dns= redirect issue= regenerat renew provision alert regist enrol',
};

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** What an intent says first, if it names a harmless act and not only a reason: "The parcel arrived broken". */
const ACTS = setOf(
  'read list check look lookup view see show display fetch retrieve find search query count verify validate review inspect monitor audit summarise summarize analyse analyze compare describe update rename edit correct fix change add draft save label tag sort translate comment note refresh format',
);
const BEFORE = /^(?:(?:please|just|only|kindly|to|now|let me|i (?:want|need|would like) to|i['’]ll|we need to) )+/;

/** Words that hardly any other language has, and words of other languages. */
const ENGLISH = setOf(
  'the this that these those and with from which who whose was were because should would their your our its into have has been they them there what when before after about all for of is are not please new customer customers request title order orders user users account accounts status item items name page file files number',
);
const FOREIGN = setOf(
  'der das und nicht ein eine einen dem des mit für fuer auf ist le les des une du et pour avec dans el los las una por para con del que il lo gli di che een het van voor niet og att och som det ikke uma não',
);

interface Words {
  starts: readonly string[];
  whole: ReadonlySet<string>;
}
function wordsOf(list: string): Words {
  const [starts, whole] = [false, true].map((isWhole) =>
    list.split(' ').filter((word) => word.endsWith('=') === isWhole),
  );
  return { starts: starts!, whole: new Set(whole!.map((word) => word.slice(0, -1))) };
}
const spoken = STRONG.map((effect) => [effect, wordsOf(SPOKEN[effect])] as const);

const names = ({ starts, whole }: Words, said: readonly string[]): boolean =>
  said.some((word) => whole.has(word) || starts.some((start) => word.startsWith(start)));

/**
 * What a request does that the words of the agent do not mention at all. Empty where they name any of it, where they are
 * only a reason, and where it is not sure that they are English.
 */
export function unmentioned(intent: string, effects: readonly { effect: Effect }[]): StrongEffect[] {
  const strong = STRONG.filter((each) => effects.some(({ effect }) => effect === each));
  if (strong.length === 0 || /[^\p{Script=Latin}\p{Script=Common}]/u.test(intent)) return [];
  const said = intent.toLowerCase().match(/[\p{L}\d]+(?:-\p{L}+)*/gu) ?? [];
  const isEnglish = said.some((word) => ENGLISH.has(word)) && !said.some((word) => FOREIGN.has(word));
  const [first] = intent
    .trim()
    .toLowerCase()
    .replace(BEFORE, '')
    .split(/[^a-z]/, 1);
  if (!isEnglish || !ACTS.has(first!)) return [];
  return spoken.some(([effect, words]) => strong.includes(effect) && names(words, said)) ? [] : strong;
}
