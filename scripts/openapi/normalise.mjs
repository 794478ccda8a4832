/** Recorded answers without what is different at every recording: times, ids, directories. */

const firstMs = Date.parse('2026-01-15T09:30:00.000Z');
const stepMs = 250;

/** @param {string} text @param {RegExp} pattern */
const inText = (text, pattern) => [...new Set(text.match(pattern))];

/**
 * Gives each different match a name of its own, by their order.
 * @param {string} text
 * @param {RegExp} pattern
 * @param {(index: number) => string} name
 * @param {readonly string[]} [found] the matches in their order: as text when not given, which is by time for those that begin with one
 */
function renumber(text, pattern, name, found = inText(text, pattern).toSorted()) {
  const names = new Map(found.map((match, index) => [match, name(index)]));
  return text.replaceAll(pattern, (match) => names.get(match) ?? match);
}

/**
 * @template T
 * @param {T} recorded
 * @param {Readonly<Record<string, string>>} places what stands for which directory
 * @returns {T}
 */
export function normalise(recorded, places) {
  let text = JSON.stringify(recorded);
  for (const [place, shown] of Object.entries(places)) text = text.replaceAll(place, shown);
  text = renumber(text, /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (index) =>
    new Date(firstMs + index * stepMs).toISOString(),
  );
  text = renumber(text, /job-\d+-[0-9a-f]{6}/g, (index) => {
    const number = String(index + 1).padStart(6, '0');
    return `job-${firstMs + index * stepMs}-${number}`;
  });
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const uuidName = (/** @type {number} */ index) =>
    `6f1c2b7e-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
  // They are random: by their order in the text, the next recording names them the same.
  text = renumber(text, uuid, uuidName, inText(text, uuid));
  const session = /ses_[0-9a-f]{16}/g;
  text = renumber(
    text,
    session,
    (index) => `ses_${String(index + 1).padStart(16, '0')}`,
    inText(text, session),
  );
  text = text
    .replaceAll(/tok_[0-9a-f]{8}_[\w-]{43}/g, 'tok_8f3a52c1_not-shown-again')
    .replaceAll(/tok_[0-9a-f]{8}/g, 'tok_8f3a52c1');
  text = text
    .replaceAll(/ssh-ed25519 [A-Za-z0-9+/]{68}/g, 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI-not-shown')
    .replaceAll(/SHA256:[A-Za-z0-9+/]{43}/g, 'SHA256:-not-shown');
  // As the lab CLI writes times.
  text = text.replaceAll(
    /\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d\.\d{6}\+/g,
    (_match, between) => `2026-01-15${between}09:30:00.500000+`,
  );
  // Also in a text that is JSON itself.
  text = text.replaceAll(/durationMs(\\?)":\d+/g, 'durationMs$1":120');
  text = text.replaceAll(/"memory":\d+/g, '"memory":67108864000');
  text = text.replaceAll(/"freeMemory":\d+/g, '"freeMemory":50331648000');
  text = text.replaceAll(/"free":\d+,"total":\d+/g, '"free":50331648000,"total":67108864000');
  text = text.replaceAll(/("kind":"state","size":)\d+/g, (_match, name) => `${name}12288`);
  // The same width, so that offsets stay true.
  text = text.replaceAll(/\b\d\.\d\d s\b/g, '0.25 s').replaceAll(/\d+(\.\d+)? GiB/g, '42 GiB');
  return JSON.parse(text);
}
