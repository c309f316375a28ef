import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useRef, type ReactNode, type Ref } from 'react';

/** How far a list is scrolled. The sizes of its rows say which row that is. */
export interface ListPlace {
  offset: number;
  sizes: VirtualItem[];
}

export interface VirtualListHandle {
  scrollTo: (index: number) => void;
  place: () => ListPlace;
}

interface Props {
  count: number;
  /** Estimated height of a row in pixels. The real height is measured. */
  rowHeight: number;
  itemKey: (index: number) => string | number;
  row: (index: number) => ReactNode;
  /** Where the list is scrolled at first. */
  initialPlace?: ListPlace;
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
  initialPlace,
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
    initialOffset: initialPlace?.offset,
    initialMeasurementsCache: initialPlace?.sizes,
  });
  useImperativeHandle(handle, () => ({
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    place: () => ({ offset: scroller.current?.scrollTop ?? 0, sizes: virtualizer.takeSnapshot() }),
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
