/** An error about a file. */
export interface Fault {
  /** Where it is, in words, or null. */
  place: string | null;
  text: string;
}

const PLACE = /^((?:settings|services|agents|version)(?:\.[\w-]+)*): /;
const NEXT = /; (?=(?:settings|services|agents|version)(?:\.[\w-]+)*: )/;
const LISTS: Record<string, string> = {
  services: 'service',
  rules: 'rule',
  documentation: 'document',
  agents: 'agent',
};

/** `services.0.rules.1.effect: must be …; agents.2: …` as a list. */
export const faultsIn = (message: string): Fault[] =>
  message.split(NEXT).map((fault) => {
    const [whole, path] = PLACE.exec(fault) ?? [];
    return whole === undefined
      ? { place: null, text: fault }
      : { place: placeWords(path!), text: fault.slice(whole.length) };
  });

/** Counts from 1, as people do: `services.0.rules.1.effect` is `service 1, rule 2, effect`. */
function placeWords(path: string): string {
  const words: string[] = [];
  for (const step of path.split('.')) {
    const list = LISTS[words.at(-1) ?? ''];
    if (/^\d+$/.test(step) && list !== undefined) words[words.length - 1] = `${list} ${Number(step) + 1}`;
    else words.push(step);
  }
  return words.join(', ');
}
