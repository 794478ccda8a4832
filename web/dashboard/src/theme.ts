import { createTheme } from '@mantine/core';

/** One accent colour; states have colours of their own (parts/state-badge.tsx). Fonts are those of the system. */
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
    // Screen readers would list their headers as further page headers.
    Modal: {
      defaultProps: {
        attributes: { header: { role: 'presentation' } },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close the message' } } },
    // The label of a button is never cut off: its neighbours shrink instead.
    Button: { defaultProps: { miw: 'fit-content' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    Menu: { defaultProps: { position: 'bottom-end' } },
    // A name needs a role.
    Loader: { defaultProps: { role: 'progressbar' } },
  },
});
