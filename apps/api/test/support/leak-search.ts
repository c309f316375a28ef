/** Something that left the gateway. */
export interface Sighting {
  where: string;
  text: string;
}

/**
 * The names of the secrets that a text contains, in any encoding. It uses its own decoding, so that it does not have
 * the same gaps as the redaction.
 */
export function leaksIn({ text }: Sighting, secrets: Record<string, string>): string[] {
  const readings = [text, text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)))];
  readings.push(readings[1].replaceAll('+', ' '));
  readings.push(text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))));
  for (const [run] of text.matchAll(/([0-9a-f]{2}){8,}/gi)) readings.push(Buffer.from(run, 'hex').toString('latin1'));
  text = text.replace(/(\\r)?\\n/g, '');
  for (const [run] of text.matchAll(/[\w+/-]{12,}=*/g)) {
    for (const start of [0, 1, 2, 3]) readings.push(Buffer.from(run.slice(start), 'base64').toString('latin1'));
  }
  const found = Object.entries(secrets).flatMap(([name, secret]) => {
    const bytes = Buffer.from(secret).toString('latin1');
    const forms = [secret, bytes, JSON.stringify(secret).slice(1, -1), JSON.stringify(bytes).slice(1, -1)];
    return readings.some((reading) => forms.some((form) => reading.includes(form))) ? [name] : [];
  });
  return [...new Set(found)];
}
