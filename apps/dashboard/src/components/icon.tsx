/** All icons, in one style: 20 × 20, stroke 1.6, in the text colour. */
const PATHS = {
  approvals: 'M3.5 11.5 6 4.5h8l2.5 7v4h-13zM3.5 11.5h3.7a2.8 2.8 0 0 0 5.6 0h3.7',
  history: 'M4 10a6 6 0 1 1 1.8 4.3M4 16v-3.5h3.5M10 6.8V10l2.3 1.6',
  services: 'M4 4.5h12v4H4zM4 11.5h12v4H4zM6.7 6.5h.01M6.7 13.5h.01',
  agents: 'M5 7.5h10v7.5H5zM10 7.5V4.8M10 4.2h.01M8 11h.01M12 11h.01M2.8 10v3M17.2 10v3',
  playground: 'M8 3.5h4M8.7 3.5v4.4L4.6 15a1 1 0 0 0 .9 1.5h9a1 1 0 0 0 .9-1.5l-4.1-7.1V3.5M6.6 12h6.8',
  settings: 'M3.5 6h5M12.5 6h4M3.5 14h3M10.5 14h6M10.5 4v4M8.5 12v4',
  status: 'M2.8 10.5h3.4l2-5.5 3.4 10 2-4.5h3.6',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  search: 'M9 14.2A5.2 5.2 0 1 0 9 3.8a5.2 5.2 0 0 0 0 10.4zM12.8 12.8l3.7 3.7',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  forward: 'M8 4.5 13.5 10 8 15.5',
  down: 'M5 7.5l5 5 5-5',
  check: 'M4 10.5l4 4 8-9',
  cross: 'M5 5l10 10M15 5 5 15',
  copy: 'M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3',
  warning: 'M10 3.5 17.5 16h-15zM10 8.3v3.6M10 13.9h.01',
  key: 'M9.6 10.4a3.4 3.4 0 1 1-1.4-1.4l7-5M13 5.6l2 2.6',
  note: 'M4 4.5h12v8.5H9.5L6 16v-3H4z',
  edit: 'M4 16l.8-3.6 8.6-8.6 2.8 2.8-8.6 8.6z',
  up: 'M5 12.5l5-5 5 5',
  filter: 'M3.5 5.5h13M6 10h8M8.5 14.5h3',
  plus: 'M10 4v12M4 10h12',
  external: 'M8 4.5H4.5v11h11V12M11.5 4.5h4v4M15.2 4.8 9 11',
  logout: 'M8 4H4.5v12H8M9 10h8M14 7l3 3-3 3',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The text beside it, or the label of its button, carries the meaning. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.6 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
