import { imageSize, type ImageType } from './image-size.js';

/** What bytes that are not UTF-8 can be opened as. An SVG or HTML is a text, and is never anything else. */
export type FileKind =
  | { kind: 'image'; type: ImageType; size: [width: number, height: number] | null }
  | { kind: 'pdf' }
  | { kind: 'text'; text: string; charset: string };

/** The first bytes decide, not the type that the sender gives. */
const IMAGES: [type: ImageType, start: RegExp][] = [
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['jpeg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
];

export function fileKind(bytes: Uint8Array, contentType: string): FileKind | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const type = IMAGES.find(([, pattern]) => pattern.test(start))?.[0];
  if (type !== undefined) return { kind: 'image', type, size: imageSize(bytes, type) };
  return start.startsWith('%PDF-') ? { kind: 'pdf' } : decoded(bytes, contentType);
}

/** A text in the charset that its type names, if it names one that browsers know and all bytes are in it. */
function decoded(bytes: Uint8Array, contentType: string): FileKind | null {
  const charset = /;\s*charset=("?)([\w.:-]+)\1\s*(?:;|$)/i.exec(contentType)?.[2];
  // Of two names, a server may read the other one.
  if (charset === undefined || contentType.match(/charset/gi)!.length > 1) return null;
  try {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
    // In UTF-16 without an end, browsers and servers differ in which byte comes first.
    if (decoder.encoding.startsWith('utf-16') && decoder.encoding !== charset.toLowerCase()) return null;
    return { kind: 'text', text: decoder.decode(bytes), charset: decoder.encoding };
  } catch {
    return null;
  }
}
