import { defined } from '../contract/defined.ts';
import { asNumber, asText, firstOf, type JsonObject, member, objectsAt } from './read-members.ts';
import { readList } from './read-job.ts';
import type { Transcript } from './speech-api.ts';

const PLACES = ['', 'data', 'result', 'data.result', 'transcription', 'data.transcription', 'task', 'record'];

const LANGUAGES = ['language', 'detected_language', 'detectedLanguage', 'language_code', 'languageCode'];

const STARTS = ['start', 'startTime', 'start_time', 'begin', 'from'];
const ENDS = ['end', 'endTime', 'end_time', 'stop', 'to'];
const STARTS_MS = ['startMs', 'start_ms', 'beginMs', 'begin_ms'];
const ENDS_MS = ['endMs', 'end_ms'];

type Segment = Transcript['segments'][number];

/**
 * Reads a transcription. Undefined if the answer has neither text nor segments with text. Empty text is valid: it is
 * the transcription of silence.
 */
export function readTranscript(json: unknown): Transcript | undefined {
  const objects = objectsAt(json, PLACES);
  const items = readList(
    json,
    PLACES.map((place) => (place === '' ? 'segments' : `${place}.segments`)),
  );
  const spoken = (items ?? []).filter((item) => textOf(item) !== undefined);
  const said = firstOf(objects, ['text', 'transcript'], (value) => (typeof value === 'string' ? value : undefined));
  const text = said ?? (spoken.length > 0 ? spoken.map((item) => textOf(item)?.trim()).join(' ') : undefined);
  if (text === undefined) return undefined;

  const duration = firstOf(objects, ['duration', 'durationSeconds', 'duration_seconds'], positive);
  const language = firstOf(objects, LANGUAGES, asText);
  return { text, ...defined({ language }), segments: readSegments(spoken, duration) };
}

/**
 * Reads the segments with times in seconds. Returns none if any lacks usable times, because subtitles with a missing
 * line are worse than none.
 *
 * Times are seconds unless their names say otherwise. If they run far past a known duration, they are milliseconds if
 * that makes them fit, otherwise unusable.
 */
function readSegments(items: readonly JsonObject[], duration: number | undefined): readonly Segment[] {
  const segments: Segment[] = [];
  for (const item of items) {
    const start = firstOf([item], STARTS, asNumber) ?? inSeconds(firstOf([item], STARTS_MS, asNumber));
    const end = firstOf([item], ENDS, asNumber) ?? inSeconds(firstOf([item], ENDS_MS, asNumber));
    if (start === undefined || end === undefined || start < 0 || end < start) return [];
    segments.push({ start, end, text: textOf(item)?.trim() ?? '' });
  }
  // The limit is generous: services round, and may or may not count trailing silence.
  const limit = duration === undefined ? Infinity : duration * 1.5 + 5;
  const last = segments.reduce((latest, segment) => Math.max(latest, segment.end), 0);
  if (last <= limit) return segments;
  if (last / 1000 > limit) return [];
  return segments.map(({ start, end, text }) => ({ start: start / 1000, end: end / 1000, text }));
}

function textOf(item: JsonObject): string | undefined {
  return asText(member(item, 'text')) ?? asText(member(item, 'transcript')) ?? asText(member(item, 'word'));
}

function positive(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && number > 0 ? number : undefined;
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
