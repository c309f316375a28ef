/** Names and paths come again and again: in each item of a list, in each reading of a path, in each request to an API. */
const KEPT_MAX = 2000;
const KEPT_LENGTH_MAX = 300;

/** The function, which keeps what it found for the latest short texts. @param find pure; nobody changes what it returns */
export function remembered<Found>(find: (text: string) => Found): (text: string) => Found {
  const known = new Map<string, Found>();
  return (text) => {
    if (text.length > KEPT_LENGTH_MAX) return find(text);
    let found = known.get(text);
    if (found === undefined) {
      found = find(text);
      if (known.size >= KEPT_MAX) known.clear();
      known.set(text, found);
    }
    return found;
  };
}
