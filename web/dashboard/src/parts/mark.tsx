/** The logo of lab-api, as in its icon. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="light-dark(var(--mantine-color-indigo-7), var(--mantine-color-indigo-4))"
      strokeWidth={2.5}
      aria-hidden="true"
      focusable="false"
    >
      <path d="M16 8 8 23M16 8l8 15M8 23h16" />
      <g fill="light-dark(var(--mantine-color-indigo-7), var(--mantine-color-indigo-4))" stroke="none">
        <circle cx="16" cy="7" r="5" />
        <circle cx="7" cy="24" r="5" />
        <circle cx="25" cy="24" r="5" />
      </g>
    </svg>
  );
}
