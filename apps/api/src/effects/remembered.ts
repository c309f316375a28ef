const KEPT_MAX = 2000;
const KEPT_LENGTH_MAX = 300;

/**
 * Returns the same function, which keeps its results for short texts. The same names and paths come again and again: in each
 * item of a list, in each reading of a path, in each request to an API.
 * @param find pure. Nobody may change its results
 */
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
