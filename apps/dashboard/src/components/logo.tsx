/** @param size in pixels */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--agw-accent)" />
      <path d="M9 7v18M23 7v18" stroke="var(--agw-surface)" strokeWidth="3" strokeLinecap="round" />
      <circle cx="16" cy="16" r="3.5" fill="var(--agw-surface)" />
    </svg>
  );
}
