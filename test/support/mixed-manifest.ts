/** The columns of {@link mixedManifest} before those of new voices, which only a manifest that makes some has. */
const COLUMNS = ['id', 'kind', 'text', 'voice', 'audio', 'video'];
const OF_VOICES = ['name', 'samples'];
/** The recording that new voices of a {@link mixedManifest} are made from; its test has to write it. */
export const SAMPLE = 'sample.wav';

/** A manifest of `count` rows, kinds in turn, as a user might write it. Voices are made from {@link SAMPLE}. */
export function mixedManifest(count: number, kinds: readonly string[] = ['tts', 'stt', 'lip-sync', 'dub']): string {
  const columns = kinds.includes('voice') ? [...COLUMNS, ...OF_VOICES] : COLUMNS;
  const lines = [columns.join(',')];
  for (let n = 1; n <= count; n++) {
    const kind = kinds[n % kinds.length] ?? 'tts';
    const cells = { id: `r${String(n)}`, kind, ...cellsOf(kind, String(n)) };
    lines.push(columns.map((column) => (cells as Readonly<Record<string, string>>)[column] ?? '').join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** What a row of a kind asks for: nothing that another number has. */
function cellsOf(kind: string, n: string): Readonly<Record<string, string>> {
  const speech = { text: `Line number ${n} of this batch.`, voice: 'narrator' };
  const audio = `https://media.example/voice-${n}.mp3?seconds=2`;
  const video = `https://media.example/face-${n}.mp4`;
  switch (kind) {
    case 'tts':
      return speech;
    case 'stt':
      return { audio };
    case 'lip-sync':
      return { audio, video };
    case 'voice':
      return { name: `Voice ${n}`, samples: SAMPLE };
    default:
      return { ...speech, video };
  }
}
