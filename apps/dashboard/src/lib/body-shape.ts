import { readBody } from './body.js';
import { readJson, type JsonNode } from './json-tree.js';

/** How a body is read: bytes, their text, and the JSON or form in it. */
export interface BodyShape {
  bytes: Uint8Array<ArrayBuffer>;
  /** null if the bytes are not valid UTF-8. */
  text: string | null;
  json: JsonNode | null;
  isForm: boolean;
  /** The view that shows the most of it. */
  view: 'form' | 'tree' | 'text' | 'hex';
}

let latest: { body: string; encoding?: 'base64'; contentType: string; isCut: boolean; shape: BodyShape } | null = null;

/**
 * Several parts of a page ask about the same body, which can have megabytes.
 * @param isCut only the beginning of the body is known, so it is text or bytes
 */
export function bodyShape(body: string, encoding: 'base64' | undefined, contentType: string, isCut = false): BodyShape {
  if (
    latest?.body !== body ||
    latest.encoding !== encoding ||
    latest.contentType !== contentType ||
    latest.isCut !== isCut
  ) {
    latest = {
      body,
      encoding,
      contentType,
      isCut,
      shape: isCut ? readCut(body, encoding) : read(body, encoding, contentType),
    };
  }
  return latest.shape;
}

function readCut(body: string, encoding: 'base64' | undefined): BodyShape {
  const { bytes, text } = readBody(body, encoding);
  return { bytes, text, json: null, isForm: false, view: text === null ? 'hex' : 'text' };
}

function read(body: string, encoding: 'base64' | undefined, contentType: string): BodyShape {
  const { bytes, text } = readBody(body, encoding);
  const json = text === null ? null : readJson(text);
  const isForm = text !== null && /^application\/x-www-form-urlencoded/i.test(contentType);
  // Servers read a body by its type. If a form is also JSON, such as {"a":"&b=2"}, a tree could hide a field.
  const isTyped = json !== null && !isForm && !/json|^text\/plain|^$/i.test(contentType);
  const view = isForm ? 'form' : json !== null && !isTyped ? 'tree' : text !== null ? 'text' : 'hex';
  return { bytes, text, json, isForm, view };
}
