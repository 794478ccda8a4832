import { useEffect, type RefObject } from 'react';

/** Gives the focus to the form, and after a failed attempt to the first wrong field; without one, shows the notice. */
export function useAttention(
  failure: unknown,
  form: RefObject<HTMLElement | null>,
  notice: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    // The focused element disappeared with the list.
    if (document.activeElement === document.body) form.current?.focus({ preventScroll: true });
  }, [form]);
  useEffect(() => {
    if (!failure) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // In a narrow window, it is out of sight.
    if (field) field.focus();
    else notice.current?.scrollIntoView({ block: 'center' });
  }, [failure, form, notice]);
}
