/** How much room text takes: no font is asked, so that the picture is the same on every machine. */

/** Every font with letters of one width has 0.6 of its size for each. */
export const labelFontSize = 9.5;
export const labelLineHeight = 11.5;

export function labelWidth(text: string): number {
  return text.length * labelFontSize * 0.61;
}

/** Of common fonts whose letters differ, few words have more than this. */
export function nameWidth(text: string, fontSize: number): number {
  return text.length * fontSize * 0.62;
}
