/** The time in the id of a record. The id is a UUID of version 7, whose first 48 bits are milliseconds. */
export function parseRecordTime(recordId: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(recordId);
  return match ? parseInt(match[1]! + match[2]!, 16) : null;
}
