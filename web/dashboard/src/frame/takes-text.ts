/** Whether what somebody types there is text: fields, and what acts like one. In a dialog, its own keys go first. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const fields =
    'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="dialog"], .xterm';
  return target.isContentEditable || target.closest(fields) !== null;
}
