import type { Transcript } from '../api/speech-api.ts';

/** Timed segments of a transcript, in seconds. */
export type Segments = Transcript['segments'];

/** How long to show a cue whose end is not after its start, unless the next cue begins earlier, ms. */
const DEFAULT_CUE_MS = 2_000;

/** One subtitle on the screen. Times in ms; at least one non-empty line. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Writes segments as SubRip (`.srt`): cues in order of time, LF line ends. SubRip has no escapes, so an arrow `-->`
 * within a text becomes `→`. Without segments the text is empty.
 */
export function toSrt(segments: Segments): string {
  return cuesOf(segments)
    .map((cue, index) => {
      const lines = cue.lines.map((line) => line.replaceAll('-->', '→'));
      return `${index + 1}\n${clock(cue.start, ',')} --> ${clock(cue.end, ',')}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/**
 * Writes segments as WebVTT (`.vtt`): cues in order of time, LF line ends. Escapes `&`, `<` and `>`, so that no text is
 * read as markup or as an arrow. Without segments there is only the header.
 */
export function toVtt(segments: Segments): string {
  const cues = cuesOf(segments).map((cue) => {
    const lines = cue.lines.map((line) =>
      line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    );
    return `\n${clock(cue.start, '.')} --> ${clock(cue.end, '.')}\n${lines.join('\n')}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}

/**
 * Turns segments into cues that a player can show one after the other: sorted by start, cut where the next one begins,
 * without empty ones. Segments with the same start become one cue, because cutting would leave no time for the first.
 */
function cuesOf(segments: Segments): Cue[] {
  const cues: { start: number; end: number; lines: string[] }[] = [];
  const spoken = segments
    .map(({ start, end, text }) => ({ start: millis(start), end: millis(end), lines: linesOf(text) }))
    .filter((cue) => Number.isFinite(cue.start) && cue.lines.length > 0)
    .sort((a, b) => a.start - b.start);
  for (const cue of spoken) {
    const last = cues.at(-1);
    if (last?.start === cue.start) {
      last.end = Math.max(last.end, Number.isFinite(cue.end) ? cue.end : 0);
      for (const line of cue.lines) last.lines.push(line);
    } else cues.push(cue);
  }
  return cues.map((cue, index) => {
    const wanted = cue.end > cue.start ? cue.end : cue.start + DEFAULT_CUE_MS;
    return { ...cue, end: Math.min(wanted, cues[index + 1]?.start ?? wanted) };
  });
}

/** Returns the non-blank lines of a text: a blank line would end the cue. */
function linesOf(text: string): string[] {
  return text
    .replaceAll('\0', '')
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function millis(seconds: number): number {
  return Math.max(0, Math.round(seconds * 1_000));
}

/** Formats a time as `01:02:03` and milliseconds, separated by `mark`. */
function clock(ms: number, mark: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1_000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${rest}`;
}

/** The line of a cue that has its start and end. */
const TIMES = /^(\d+):(\d\d):(\d\d)[,.](\d{3}) --> (\d+):(\d\d):(\d\d)[,.](\d{3})$/u;

/** Reads a text that {@link toSrt} or {@link toVtt} wrote back into segments. Ignores whatever is no cue. */
export function readSubtitles(text: string, form: 'srt' | 'vtt'): Segments {
  return text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const at = lines.findIndex((line) => TIMES.test(line));
    const found = TIMES.exec(lines[at] ?? '');
    if (found === null) return [];
    const [start, end] = [found.slice(1, 5), found.slice(5, 9)].map(secondsOf);
    if (start === undefined || end === undefined) return [];
    const shown = lines.slice(at + 1).join('\n');
    return [{ start, end, text: form === 'vtt' ? unescaped(shown) : shown }];
  });
}

function secondsOf(parts: readonly string[]): number {
  const [hours = 0, minutes = 0, seconds = 0, ms = 0] = parts.map(Number);
  return (hours * 60 + minutes) * 60 + seconds + ms / 1_000;
}

/** Reverses the escapes of {@link toVtt}; `&amp;` last, because its result must not be taken for another escape. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
