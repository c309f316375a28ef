import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useRef, type ReactNode, type Ref } from 'react';

export interface VirtualListHandle {
  scrollTo: (index: number) => void;
  /** How far the list is scrolled, in pixels. */
  offset: () => number;
}

interface Props {
  count: number;
  /** Estimated height of a row in pixels. The real height is measured. */
  rowHeight: number;
  itemKey: (index: number) => string | number;
  row: (index: number) => ReactNode;
  /** How far the list is scrolled at first, in pixels. */
  initialOffset?: number;
  /** Called when the user scrolls near the end. */
  onEnd?: () => void;
  className?: string;
  role?: string;
  label?: string;
  handle?: Ref<VirtualListHandle>;
  /** Makes the list focusable, so that the keyboard can scroll it. For rows without focusable content. */
  focusable?: boolean;
}

/** A scrolling list that renders only visible rows. `className` must set its height. */
export function VirtualList({
  count,
  rowHeight,
  itemKey,
  row,
  initialOffset,
  onEnd,
  className,
  role,
  label,
  handle,
  focusable,
}: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: itemKey,
    overscan: 8,
    initialOffset,
  });
  useImperativeHandle(handle, () => ({
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    offset: () => scroller.current?.scrollTop ?? 0,
  }));
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && count > 0 && last >= count - 10) onEnd();
  }, [last, count, onEnd]);
  return (
    <div ref={scroller} tabIndex={focusable ? 0 : undefined} className={className} style={{ overflow: 'auto' }}>
      <div role={role} aria-label={label} style={{ position: 'relative', blockSize: virtualizer.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            role={role === 'list' ? 'listitem' : undefined}
            style={{
              position: 'absolute',
              insetInline: 0,
              insetBlockStart: 0,
              transform: `translateY(${item.start}px)`,
            }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
