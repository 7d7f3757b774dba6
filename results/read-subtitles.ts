import type { Segments } from './subtitles.ts';

const TIMES = /^(\d+):(\d\d):(\d\d)[,.](\d{3}) --> (\d+):(\d\d):(\d\d)[,.](\d{3})$/u;

/** The cues of a text that `toSrt` or `toVtt` wrote, as segments. Whatever is no cue is left out. */
export function readSubtitles(text: string, form: 'srt' | 'vtt'): Segments {
  return text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const at = lines.findIndex((line) => TIMES.test(line));
    const found = TIMES.exec(lines[at] ?? '');
    if (found === null) return [];
    const [start, end] = [found.slice(1, 5), found.slice(5, 9)].map(secondsOf);
    if (start === undefined || end === undefined) return [];
    const said = lines.slice(at + 1).join('\n');
    return [{ start, end, text: form === 'vtt' ? unescaped(said) : said }];
  });
}

function secondsOf(parts: readonly string[]): number {
  const [hours = 0, minutes = 0, seconds = 0, ms = 0] = parts.map(Number);
  return (hours * 60 + minutes) * 60 + seconds + ms / 1_000;
}

/** `&amp;` comes last: what it makes is no other escape. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
