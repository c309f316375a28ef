/**
 * `Cache-Control` for an answer that depends on the agent's key: only a cache of the agent itself may keep it. Directives
 * for shared caches are left out.
 */
export function privateCacheControl(values: string | string[]): string {
  const directives =
    [values]
      .flat()
      .join(',')
      .match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  const kept = directives
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !SHARED.test(directive));
  return ['private', ...kept].join(', ');
}

const SHARED = /^(?:public|private|s-maxage|proxy-revalidate)\s*(?:=|$)/i;

/** The headers that may carry the agent's key. */
const KEY_HEADERS = 'Agent-Key, Authorization, X-Api-Key, Api-Key, X-Goog-Api-Key, Private-Token';

/** A cache of the agent must not give one key's answer to another. */
export const varyByKey = (values: string | string[] | undefined): string =>
  values === undefined ? KEY_HEADERS : `${[values].flat().join(', ')}, ${KEY_HEADERS}`;
