import { parseRecordTime } from './record-moment.js';

it('parseRecordTime reads the time from UUIDs of version 7 only', () => {
  expect(parseRecordTime('019a1b2c-3d4e-7abc-8def-0123456789ab')).toBe(0x019a1b2c3d4e);
  expect(parseRecordTime('019a1b2c-3d4e-4abc-8def-0123456789ab')).toBeNull();
  expect(parseRecordTime("' or 1=1")).toBeNull();
});
