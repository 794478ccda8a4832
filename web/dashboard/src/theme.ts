import { createTheme } from '@mantine/core';

/** One accent colour; states have colours of their own (parts/state-badge.tsx). Fonts are those that the reader has. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Their headers are no second header of the page, which a screen reader would list.
    Modal: {
      defaultProps: {
        attributes: { header: { role: 'presentation' } },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    // What a button says is never cut: what stands beside it gives way.
    Button: { defaultProps: { miw: 'fit-content' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    Menu: { defaultProps: { position: 'bottom-end' } },
    // A name is for what has a role.
    Loader: { defaultProps: { role: 'progressbar' } },
  },
});
