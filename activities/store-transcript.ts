import type { Transcript } from '../api/speech-api.ts';
import { toSrt, toVtt } from '../results/subtitles.ts';
import type { Store, StoredFile } from '../store/store.ts';

/** Stores a transcript as `.txt`, and as `.srt` and `.vtt` where its segments carry times. The text comes last: where it is, all is. */
export async function storeTranscript(
  store: Store,
  stem: string,
  transcript: Transcript,
): Promise<{ readonly file: StoredFile; readonly extraFiles: readonly StoredFile[] }> {
  const write = (text: string, extension: string): Promise<StoredFile> =>
    store.write(stem, Buffer.from(text), { family: 'text', extension });
  const extraFiles: StoredFile[] = [];
  if (transcript.segments.length > 0) {
    extraFiles.push(await write(toSrt(transcript.segments), 'srt'), await write(toVtt(transcript.segments), 'vtt'));
  }
  return { file: await write(`${transcript.text}\n`, 'txt'), extraFiles };
}
