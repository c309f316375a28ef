/** What a base URL means, said before it is saved. The server decides; this spares a round trip. */
export type BaseUrlReading =
  { reach: string; plainHttp: boolean; fault: null } | { reach: null; plainHttp: false; fault: 'form' | 'extra' };

const bad = (fault: 'form' | 'extra'): BaseUrlReading => ({ reach: null, plainHttp: false, fault });

export function readBaseUrl(text: string): BaseUrlReading {
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return bad('form');
  if (/[?#]/.test(text) || /^https?:\/\/[^/]*@/i.test(text)) return bad('extra');
  const url = new URL(text);
  return {
    reach: `${url.origin}${url.pathname.replace(/\/+$/, '')}/*`,
    plainHttp: url.protocol === 'http:',
    fault: null,
  };
}
