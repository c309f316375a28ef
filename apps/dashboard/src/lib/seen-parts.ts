import type { RequestPart, RequestParts } from './request-parts.js';

/** What is pushed away sooner, by a part of the page that loads late, was not seen. */
const DWELL_MS = 700;
/** A row with less of its height on the screen is not seen. */
const WHOLE = 0.98;
const THRESHOLDS = Array.from({ length: 21 }, (_, index) => index / 20);

/**
 * Which values of a request have been on the screen. Rows have the id of their value as `data-part`, and the number of
 * characters that they show as `data-shown` if it is not all. Blocks of a text have `data-from` and `data-to` instead.
 */
export class SeenParts {
  /** The number of characters that were shown of a value, by its id. */
  readonly shown = new Map<string, number>();
  /** The characters of the body that were shown as text. Sorted, and none touches another. */
  ranges: [number, number][] = [];
  unseen: readonly RequestPart[];
  private readonly listeners = new Set<() => void>();
  private readonly visible = new Set<Element>();
  private observer: IntersectionObserver | undefined;

  constructor(readonly request: RequestParts) {
    this.unseen = request.parts;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The same list until it changes. */
  readonly snapshot = (): readonly RequestPart[] => this.unseen;

  note(row: DOMStringMap): void {
    if (row['part'] !== undefined) {
      const shown = row['shown'] === undefined ? Infinity : Number(row['shown']);
      this.shown.set(row['part'], Math.max(shown, this.shown.get(row['part']) ?? 0));
    } else this.ranges = withRange(this.ranges, [Number(row['from']), Number(row['to'])]);
  }

  /** Whether the character at `at` was shown as text. */
  hasText(at: number): boolean {
    return this.ranges.some(([from, to]) => from <= at && at < to);
  }

  /** Whether all of the value was on the screen. */
  isWhole(part: RequestPart): boolean {
    return this.shown.get(part.id) === Infinity || this.isInRanges(part);
  }

  /**
   * Follows the rows in `article`.
   * @param bar covers the foot of the screen: what is behind it is not seen
   */
  watch(article: Element, bar: Element): () => void {
    const begin = () => {
      this.end();
      const covered = Math.max(0, Math.ceil(window.innerHeight - bar.getBoundingClientRect().top));
      this.observer = new IntersectionObserver((entries) => this.follow(entries), {
        rootMargin: `0px 0px ${-covered}px`,
        threshold: THRESHOLDS,
      });
      for (const row of rowsIn(article)) this.observer.observe(row);
    };
    const added = new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (node instanceof Element) for (const row of rowsIn(node)) this.observer?.observe(row);
      }
    });
    added.observe(article, { childList: true, subtree: true });
    const resized = new ResizeObserver(begin);
    resized.observe(bar);
    window.addEventListener('resize', begin);
    return () => {
      this.end();
      added.disconnect();
      resized.disconnect();
      window.removeEventListener('resize', begin);
    };
  }

  /** Whoever presses a button sees what is on the screen now. */
  noteVisible(): void {
    this.follow(this.observer?.takeRecords() ?? []);
    this.noteAll([...this.visible]);
  }

  private end(): void {
    this.observer?.disconnect();
    this.visible.clear();
  }

  private follow(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target } of entries) this.visible.delete(target);
    const shown = entries.filter(isSeen).map(({ target }) => target);
    for (const row of shown) this.visible.add(row);
    if (shown.length > 0) setTimeout(() => this.noteAll(shown.filter((row) => this.visible.has(row))), DWELL_MS);
  }

  private noteAll(rows: readonly Element[]): void {
    for (const row of rows) this.note((row as HTMLElement).dataset);
    if (rows.length === 0) return;
    // Of a folded value, only the beginning was on the screen.
    this.unseen = this.unseen.filter((part) => !this.isWhole(part));
    for (const listener of this.listeners) listener();
  }

  private isInRanges({ span }: RequestPart): boolean {
    return span !== undefined && this.ranges.some(([from, to]) => from <= span[0] && span[1] <= to);
  }
}

const ROWS = '[data-part], [data-from]';

const rowsIn = (node: Element): Element[] => [...(node.matches(ROWS) ? [node] : []), ...node.querySelectorAll(ROWS)];

/** A row that is higher than the screen is seen when its end is. */
function isSeen({
  isIntersecting,
  intersectionRatio,
  boundingClientRect: row,
  intersectionRect,
  rootBounds,
}: IntersectionObserverEntry) {
  // Where the bar covers the whole screen, what only touches its edge intersects too.
  if (!isIntersecting || intersectionRect.height < 1) return false;
  const isHigh = rootBounds !== null && row.height > rootBounds.height * WHOLE;
  return intersectionRatio >= WHOLE || (isHigh && intersectionRect.bottom >= row.bottom - 1);
}

function withRange(ranges: readonly [number, number][], added: [number, number]): [number, number][] {
  const apart = ranges.filter(([from, to]) => to < added[0] || from > added[1]);
  const joined = ranges.filter((each) => !apart.includes(each));
  const from = Math.min(added[0], ...joined.map((each) => each[0]));
  const to = Math.max(added[1], ...joined.map((each) => each[1]));
  return [...apart, [from, to] as [number, number]].sort((a, b) => a[0] - b[0]);
}
