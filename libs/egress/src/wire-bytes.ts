/** Is told how many bytes of a response undici has read, with all that is around the body. */
export type OnRead = (bytes: number) => void;

let ofNext: OnRead | null = null;

/**
 * Counts the bytes of the response to the request that is written next. undici tells nobody which socket a request uses,
 * but writes its head right after `onRequestStart`, in the same step.
 */
export function countNextResponse(onRead: OnRead): void {
  ofNext = onRead;
}

/** Who counts the response to the request whose head is written now. Null: nobody. */
export function takeCounter(): OnRead | null {
  const onRead = ofNext;
  ofNext = null;
  return onRead;
}
