import { registerDecorator } from 'class-validator';
import { SEEN_PART_MAX } from './limits.js';

const POINTER = /^\/(?:query|body)(?:\/(?:[^~/]|~[01])*)*$/u;
const BYTES = /^bytes=(\d{1,10})-(\d{1,10})$/;

/** Whether a text names a part of a request: a JSON pointer into `{query, body}`, or a range of bytes of the body. */
export function isSeenPart(text: string): boolean {
  if (text.length > SEEN_PART_MAX) return false;
  const range = BYTES.exec(text);
  return range === null ? POINTER.test(text) : Number(range[1]) <= Number(range[2]);
}

/** A list of such parts. */
export function AreSeenParts(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'areSeenParts',
      target: target.constructor,
      propertyName: propertyName as string,
      options: {
        message: `must be JSON pointers such as /body/amount or /query/limit, or ranges such as bytes=0-499, each of at most ${SEEN_PART_MAX} characters`,
      },
      validator: {
        validate: (value: unknown) =>
          !Array.isArray(value) || value.every((part) => typeof part !== 'string' || isSeenPart(part)),
      },
    });
}
