/**
 * Control characters except TAB, LF and CR: they have no meaning in a text, and can control a terminal that shows it.
 */
const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`;
/** The JSON escape of a control character, without its backslash. */
const SHOWN = String.raw`u00(?:0[0-8bcef]|1[\da-f]|7f|[89][\da-f])`;
const ONE_CONTROL = new RegExp(CONTROL, 'g');
/**
 * Matches whole runs of backslashes, whatever follows, because starting a match at each one would take quadratic time.
 */
const TO_ESCAPE = new RegExp(String.raw`(\\+)(${CONTROL}|${SHOWN})?|${CONTROL}`, 'g');
const ESCAPED = new RegExp(String.raw`(\\+)(${SHOWN})?`, 'g');

/**
 * Makes a text safe for a terminal, or JSON for a program: control characters are shown as JSON escapes, the rest is
 * unchanged.
 */
export function showControls(text: string): string {
  return text.replaceAll(ONE_CONTROL, (control) => `\\${shownOf(control)}`);
}

/**
 * Shows control characters as JSON does: `\u001b`. Where backslashes lead to one, or to what looks like one, they are
 * doubled, so that {@link unescapeControls} is the exact inverse for every text.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(TO_ESCAPE, (all: string, slashes: string | undefined, next: string | undefined) => {
    if (slashes === undefined) return `\\${shownOf(all)}`;
    if (next === undefined) return slashes;
    return slashes + slashes + (next.length === 1 ? `\\${shownOf(next)}` : next);
  });
}

/** Reverses {@link escapeControls}. */
export function unescapeControls(text: string): string {
  return text.replaceAll(ESCAPED, (all: string, slashes: string, shown: string | undefined) => {
    if (shown === undefined) return all;
    const kept = '\\'.repeat(Math.floor(slashes.length / 2));
    return kept + (slashes.length % 2 === 0 ? shown : String.fromCharCode(Number.parseInt(shown.slice(1), 16)));
  });
}

function shownOf(control: string): string {
  return `u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
