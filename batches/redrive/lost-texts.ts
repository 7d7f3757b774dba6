import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultFile, RowRecord } from '../../ledger/record-types.ts';
import { readSubtitles } from '../../results/read-subtitles.ts';
import { toSrt, toVtt } from '../../results/subtitles.ts';

/** A stored text, word for word. */
export interface StoredText {
  readonly file: ResultFile;
  readonly text: string;
}

/**
 * What a lost file of a transcript was: its text is in the row's record, and each form of its subtitles can be written from
 * the other. Undefined: what comes of that is not what its hash says, so only the API could tell. `folder`: the store's.
 */
export async function lostText(
  row: Pick<RowRecord, 'text' | 'extraFiles'>,
  file: ResultFile,
  folder: string,
): Promise<StoredText | undefined> {
  const text = await writtenAgain(row, file, folder);
  const isSame = text !== undefined && createHash('sha256').update(text).digest('hex') === file.sha256;
  return isSame ? { file, text } : undefined;
}

async function writtenAgain(
  { text, extraFiles }: Pick<RowRecord, 'text' | 'extraFiles'>,
  { extension }: ResultFile,
  folder: string,
): Promise<string | undefined> {
  const other = async (form: 'srt' | 'vtt'): Promise<string | undefined> => {
    const there = extraFiles.find((one) => one.extension === form);
    // A damaged one makes another text than the hash says.
    return there && readFile(join(folder, there.key), 'utf8').catch(() => undefined);
  };
  switch (extension) {
    case 'txt':
      return text === null ? undefined : `${text}\n`;
    case 'srt': {
      const vtt = await other('vtt');
      return vtt && toSrt(readSubtitles(vtt, 'vtt'));
    }
    case 'vtt': {
      const srt = await other('srt');
      return srt && toVtt(readSubtitles(srt, 'srt'));
    }
    default:
      return undefined;
  }
}
