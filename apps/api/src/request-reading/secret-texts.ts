import { CREDENTIAL_MASK } from '#contracts/headers';
import { maskQuery, maskTokens } from './masks.js';
import { pathSegments } from './path-template.js';
import { isSecretParameter } from './secret-names.js';

/** Secrets longer than this begin like a shorter one. */
const READ_MAX = 5000;
/** Keys by the form that their issuers gave them, also cut ones. */
const KEYS =
  /\b(?:[srp]k_(?:live|test)_\w{8,200}|gh[oprsu]_\w{20,200}|github_pat_\w{20,200}|xox[abeoprs]-[\w-]{10,200}|(?:AKIA|ASIA)[A-Z\d]{12,40}|glpat-[\w-]{10,100}|sk-[\w-]{20,200}|AIza[\w-]{30,60}|eyJ[\w-]{17,4000}[\w.-]{0,4000}|bot\d{6,12}:[\w-]{30,60})|-----BEGIN [A-Z ]{3,40}-----[^]*/g;
/** `password: hunter2` in a message. */
const SAID = /\b(pass(?:word|wd|code|phrase)|pwd|secret|token|api[ _-]?key)(\s?[:=]\s?)\S{1,200}/gi;
/** `Bearer abc1`, `Authorization: Token abc`. What has no digit may be a word: `Basic support`. */
const SENT = /\b(bearer|basic)(\s{1,3})(?=[\w+/.~-]{0,400}[\d=])[\w+/.~=-]{6,400}/gi;
const AUTHORIZATION = /\b(authorization)(\s?[:=]\s?)(?:\w{1,20}\s)?\S{1,400}/gi;
/** A password can have any character but a slash. */
const IN_URL = /(\/\/[^\s/:@]{0,100}:)[^\s/]{1,200}@/g;
/** A token in place of a name. The names in `git@` and `ssh://git@` are none. */
const USER_IN_URL = /(https?:\/\/)[^\s/:@]{1,200}@/gi;
/** Addresses that are secrets themselves: whoever knows one may write there. */
const HOOKS =
  /(\b(?:hooks\.slack\.com\/\w{1,20}|discord(?:app)?\.com\/api\/webhooks\/\d{1,30}|webhook\.office\.com\/webhookb2)\/)[^\s?#]{1,400}/gi;
const PARAMETERS = /([?&])([^=&?#\s]{1,100})=[^&#\s]{1,2000}/g;
const CARD = /(?<!\d)[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{3,4}(?!\d)/g;

/** The beginning of a text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  const start = text.slice(0, READ_MAX);
  return maskQuery(start)
    .replace(PARAMETERS, (parameter, separator: string, name: string) =>
      isSecretParameter(name) ? `${separator}${name}=${CREDENTIAL_MASK}` : parameter,
    )
    .replace(KEYS, CREDENTIAL_MASK)
    .replace(HOOKS, `$1${CREDENTIAL_MASK}`)
    .replace(AUTHORIZATION, `$1$2${CREDENTIAL_MASK}`)
    .replace(SENT, `$1$2${CREDENTIAL_MASK}`)
    .replace(SAID, `$1$2${CREDENTIAL_MASK}`)
    .replace(IN_URL, `$1${CREDENTIAL_MASK}@`)
    .replace(USER_IN_URL, `$1${CREDENTIAL_MASK}@`)
    .replace(CARD, (digits) => (isCardNumber(digits.replace(/\D/g, '')) ? CREDENTIAL_MASK : digits));
}

/** Whether a segment of a path is a key. Names are no keys: `sk-learn-contrib-packages`. */
export const isKey = (segment: string): boolean =>
  /\d/.test(segment) && (segment.search(KEYS) !== -1 || maskTokens(segment) !== segment);

/** How many segments of the path, counted from its end, are the secret of a webhook. */
export function countSecretSegments({ host, pathname }: URL): number {
  const [hook] = `${host}${pathname}`.matchAll(HOOKS);
  if (hook === undefined || hook.index > host.length) return 0;
  return pathSegments(pathname).length - (pathSegments(hook[1]).length - 1);
}

/** By the check digit (ISO/IEC 7812). */
function isCardNumber(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((total, number) => total + (number > 9 ? number - 9 : number), 0);
  return sum % 10 === 0;
}
