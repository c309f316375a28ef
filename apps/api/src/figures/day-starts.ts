const DAY_MS = 86_400_000;

/**
 * The first moments of the days of a time zone, from the day of `fromMs` until `toMs`. A day without a midnight starts
 * when the clocks go forward. A day with two midnights starts at the first one.
 * @param timeZone an IANA name that `isTimeZone` knows
 */
export function dayStarts(fromMs: number, toMs: number, timeZone: string): number[] {
  const wall = wallClock(timeZone);
  const starts: number[] = [];
  for (let day = Math.floor(wall(fromMs) / DAY_MS) * DAY_MS; ; day += DAY_MS) {
    const start = findStart(day, wall);
    if (start >= toMs && starts.length > 0) return starts;
    starts.push(start);
  }
}

/** @param day its midnight, as if the wall clock showed UTC */
function findStart(day: number, wall: (ms: number) => number): number {
  // No zone is further than a day from UTC, so these moments are before and after a change of the clocks.
  const before = day - (wall(day - DAY_MS) - (day - DAY_MS));
  const after = day - (wall(day + DAY_MS) - (day + DAY_MS));
  const midnights = [before, after].filter((ms) => wall(ms) === day);
  return midnights.length === 0 ? before : Math.min(...midnights);
}

/** What a clock on the wall shows at a moment, read as if it were UTC. */
function wallClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type)!;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}
