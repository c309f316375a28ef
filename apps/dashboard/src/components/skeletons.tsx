import { Skeleton } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';

/** Shows its children after 150 ms, so that fast loads show no skeleton. */
export function Delayed({ children }: { children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}

/** Placeholder for a list of rows. */
export function RowsSkeleton({ rows = 6, height = 64 }: { rows?: number; height?: number }) {
  return (
    <Delayed>
      <div aria-busy="true">
        {Array.from({ length: rows }, (_, row) => (
          <div
            key={row}
            style={{ blockSize: height, padding: '12px 16px', borderBlockEnd: '1px solid var(--agw-line)' }}
          >
            <Skeleton height={13} width={`${70 - (row % 3) * 12}%`} mb={9} />
            <Skeleton height={11} width={`${50 - (row % 2) * 14}%`} />
          </div>
        ))}
      </div>
    </Delayed>
  );
}

/** Placeholder for a page of text. */
export function PageSkeleton() {
  return (
    <Delayed>
      <div aria-busy="true" style={{ padding: 24, maxInlineSize: 760 }}>
        <Skeleton height={22} width="55%" mb={16} />
        <Skeleton height={13} width="80%" mb={10} />
        <Skeleton height={13} width="65%" mb={28} />
        <Skeleton height={120} />
      </div>
    </Delayed>
  );
}
