/** A record is found by the moment in its id (a UUID of version 7): milliseconds in the first 48 bits. */
export function momentOf(recordId: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(recordId);
  return match ? parseInt(match[1]! + match[2]!, 16) : null;
}
