import {
  createTheme,
  defaultVariantColorsResolver,
  rem,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

import { sharedMessages } from '../lib/messages.js';

/** Type, spacing and colours. Components use these names and the variables below, never a hex value. */
const pine: MantineColorsTuple = [
  '#e8f6f2',
  '#cfebe4',
  '#a2d9cd',
  '#6fc5b4',
  '#43b39f',
  '#1f9c87',
  '#12836f',
  '#0e7161',
  '#0b5c4f',
  '#07463c',
];
const gray: MantineColorsTuple = [
  '#f5f7f6',
  '#ebefee',
  '#dde4e2',
  '#c8d2cf',
  '#aab8b4',
  '#84948f',
  '#52625e',
  '#3c4a47',
  '#243230',
  '#13201d',
];
const dark: MantineColorsTuple = [
  '#e4ece9',
  '#c2cfcb',
  '#97a9a4',
  '#74877f',
  '#34443f',
  '#263330',
  '#182220',
  '#0d1312',
  '#0a0f0e',
  '#060a09',
];

const MONO = 'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace';
const SANS =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

const badgeSize = (fontPx: number, heightPx: number) => ({
  '--badge-fz': rem(fontPx),
  '--badge-height': rem(heightPx),
  '--badge-padding-x': '7px',
});
const badgeSizes = { sm: badgeSize(11.5, 18), md: badgeSize(12, 20), lg: badgeSize(13, 22) };

const tint = (background: string, color: string, border = '1px solid transparent') => ({
  background: `var(--agw-${background})`,
  hover: `var(--agw-${background})`,
  color: `var(--${color})`,
  border,
});
const dialogTitle = { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 650, lineHeight: 1.3 } };

/** Colours by purpose, for the `color` of a Badge, an Alert or a Button. */
const tints: Record<string, ReturnType<typeof tint>> = {
  plain: tint('sunken', 'mantine-color-dimmed', '1px solid var(--agw-line)'),
  note: tint('sunken', 'mantine-color-text'),
  low: tint('low-ground', 'agw-low'),
  medium: tint('medium-ground', 'agw-medium'),
  high: tint('high-ground', 'agw-high'),
  critical: tint('critical-ground', 'agw-critical'),
  /** A button for destructive actions. */
  danger: tint('danger-fill', 'agw-on-danger'),
};

export const theme = createTheme({
  colors: { pine, gray, dark },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 4 },
  // Mantine uses one text colour for both schemes. Ours differs per scheme, because the accent colour does.
  variantColorResolver: (input) => {
    const tint = tints[input.color ?? ''];
    if (tint) return tint;
    const colors = defaultVariantColorsResolver(input);
    return input.variant === 'filled' && input.color === input.theme.primaryColor
      ? { ...colors, color: 'var(--agw-on-accent)' }
      : colors;
  },
  black: gray[9],
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(15), lg: rem(17), xl: rem(21) },
  lineHeights: { xs: '1.4', sm: '1.46', md: '1.4667', lg: '1.4', xl: '1.3' },
  // In px, because text at 200 % needs the room.
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  defaultRadius: 'md',
  radius: { sm: rem(4), md: rem(7), lg: rem(12) },
  headings: {
    fontFamily: SANS,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: rem(21), lineHeight: '1.3' },
      h2: { fontSize: rem(17), lineHeight: '1.4' },
      h3: { fontSize: rem(15), lineHeight: '1.4667' },
      h4: { fontSize: rem(14), lineHeight: '1.4667' },
    },
  },
  // In em, so that a larger text size selects the layout of a smaller screen.
  breakpoints: { xs: '40em', md: '64em' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Named explicitly: without a name, Mantine does not call the colour resolver above.
    Button: { defaultProps: { variant: 'filled' } },
    Chip: { defaultProps: { variant: 'filled' } },
    Paper: { vars: () => ({ root: { '--paper-border-color': 'var(--agw-line)' } }) },
    Alert: {
      // Most alerts describe the page and are not news. Screen readers announce the `alert` role.
      defaultProps: { variant: 'light', role: 'note' },
      styles: {
        root: { padding: '10px 12px' },
        icon: { inlineSize: 18, blockSize: 18, marginBlockStart: 0, marginInlineEnd: 10 },
        message: { color: 'inherit', overflow: 'visible' },
      },
    },
    Badge: {
      defaultProps: { variant: 'light', color: 'plain' },
      vars: (_theme: unknown, { size = 'md' }: { size?: 'sm' | 'md' | 'lg' }) => ({ root: badgeSizes[size] }),
      styles: {
        root: { flex: 'none', fontWeight: 600, letterSpacing: 0, textTransform: 'none' },
        section: { marginInlineEnd: 6 },
      },
    },
    SegmentedControl: {
      defaultProps: { withItemsBorders: false },
      vars: (_theme: unknown, { fullWidth }: { fullWidth?: boolean }) => ({
        // The full width is for thumbs.
        root: { '--sc-padding': fullWidth ? '11px 10px' : '4px 10px', '--sc-color': 'var(--agw-surface)' },
      }),
      styles: {
        root: { padding: 2, background: 'var(--agw-sunken)', boxShadow: 'inset 0 0 0 1px var(--agw-line)' },
        indicator: { borderRadius: 5, boxShadow: '0 0 0 1px var(--agw-line-strong)' },
        // Covers its label. Mantine's has no size, so that a screen reader on a touch screen would not find it.
        input: { zIndex: 3, inset: 0, inlineSize: '100%', blockSize: '100%', margin: 0, cursor: 'pointer' },
      },
    },
    NavLink: { styles: { label: { fontSize: 'var(--mantine-font-size-md)' } } },
    InputWrapper: {
      styles: {
        label: { marginBlockEnd: 4 },
        description: { marginBlock: '-4px 6px', fontSize: 'var(--mantine-font-size-sm)' },
      },
    },
    Switch: { styles: { description: { marginBlockStart: 3, lineHeight: 1.35 } } },
    Modal: {
      styles: dialogTitle,
      defaultProps: {
        centered: true,
        transitionProps: { duration: 120 },
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': sharedMessages.actions.close },
      },
    },
    Drawer: { styles: dialogTitle, defaultProps: { closeButtonProps: { 'aria-label': sharedMessages.actions.close } } },
    // Before it has its place, a list that scrolls with the page would make the page wider than a phone.
    Combobox: { defaultProps: { floatingStrategy: 'fixed' } },
    Menu: { defaultProps: { transitionProps: { duration: 90 }, shadow: 'md' } },
    Fieldset: {
      defaultProps: { variant: 'unstyled', m: 0, miw: 0 },
      styles: { legend: { fontWeight: 600, marginBlockEnd: 4 } },
    },
  },
});

/** Colours by purpose. All text and background pairs meet WCAG AA in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--agw-mono': MONO },
  // `body` is the colour of surfaces on the page: panes, cards, dialogs. The page itself has the colour `ground`.
  light: {
    '--mantine-color-body': '#ffffff',
    '--agw-ground': '#f5f7f6',
    '--mantine-color-text': '#13201d',
    '--mantine-color-dimmed': '#52625e',
    '--mantine-color-placeholder': '#66756f',
    '--mantine-color-anchor': '#0b6456',
    '--mantine-color-error': '#b42318',
    '--agw-surface': '#ffffff',
    '--agw-sunken': '#f0f3f2',
    '--agw-hover': '#eef3f1',
    '--agw-selected': '#e3f2ee',
    '--agw-line': '#dde4e2',
    '--agw-line-strong': '#84948f',
    '--agw-accent': '#0e7161',
    '--agw-on-accent': '#ffffff',
    '--agw-low': '#3d6553',
    '--agw-low-ground': '#ebf3ef',
    '--agw-medium': '#765700',
    '--agw-medium-ground': '#fbf3d4',
    '--agw-high': '#a2420a',
    '--agw-high-ground': '#fdeee2',
    '--agw-critical': '#b1201a',
    '--agw-critical-ground': '#fdebe9',
    '--agw-amber': '#c77700',
    '--agw-chart-held': '#d9a514',
    '--agw-chart-refused': '#c2453f',
    '--agw-danger-fill': '#b1201a',
    '--agw-on-danger': '#ffffff',
  },
  dark: {
    '--mantine-color-body': '#141c1a',
    '--agw-ground': '#0d1312',
    '--mantine-color-text': '#e4ece9',
    '--mantine-color-dimmed': '#97a9a4',
    '--mantine-color-placeholder': '#8a9b96',
    '--mantine-color-anchor': '#6fc5b4',
    '--mantine-color-error': '#ff9b90',
    '--agw-surface': '#141c1a',
    '--agw-sunken': '#0f1615',
    '--agw-hover': '#1b2523',
    '--agw-selected': '#16302b',
    '--agw-line': '#263330',
    '--agw-line-strong': '#74877f',
    '--agw-accent': '#43b39f',
    '--agw-on-accent': '#04201a',
    '--agw-low': '#9dcab4',
    '--agw-low-ground': '#16261f',
    '--agw-medium': '#ecce63',
    '--agw-medium-ground': '#2c260c',
    '--agw-high': '#ffb37d',
    '--agw-high-ground': '#351f10',
    '--agw-critical': '#ff9d94',
    '--agw-critical-ground': '#3a1815',
    '--agw-amber': '#ffb224',
    '--agw-chart-held': '#e0b93a',
    '--agw-chart-refused': '#f0766c',
    '--agw-danger-fill': '#e5584d',
    '--agw-on-danger': '#1d0605',
  },
});
