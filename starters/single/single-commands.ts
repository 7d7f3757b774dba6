import { sayJob, lipSyncJob, transcribeJob } from '../../client/single/build-single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { verifyCell } from '../run/run-options.ts';
import { usageError } from '../exit-error.ts';
import { giveMedia, checkForm, giveText } from './give.ts';
import { runSingle } from './run-single.ts';
import { checkTarget, extensionOf, readTarget, checkStdout, type Target } from './target.ts';
import type { Readable } from 'node:stream';
import { trimEnd } from '../../contract/trim-end.ts';
import { MAX_CELL_BYTES } from '../../contract/api-limits.ts';

/** `voxbatch say TEXT`: speaks a text, and hands out the file. The same text with the same voice is the same job. */
export async function say(given: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const readsStdin = given === '-';
  const text = readsStdin ? await readText(process.stdin) : given;
  const { voice, engine, speed, language, verify, tts = 'job', split, api = {}, force = false } = flags;
  const format = formatOf(flags, target);
  const wish = { voice, engine, format, speed, language, verify: verifyCell(verify), tts, api };
  return runSingle({
    job: { ...sayJob(text, wish), ...defined({ split }) },
    flags,
    context,
    readsStdin,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveMedia(record, target, { force }, place),
  });
}

/** Formats that are also the extension of their files. */
const FORMATS = ['mp3', 'wav', 'pcm', 'ogg', 'opus', 'flac', 'aac', 'm4a'];

/**
 * The format that is asked for: that of the file's name, if none is given. The default of the API is not named, so that
 * the same text with and without `-o` is one job.
 */
function formatOf({ format }: Flags, target: Target): string | undefined {
  const named = extensionOf(target);
  if (!FORMATS.includes(named) || named === format) return format;
  if (format === undefined) return named === 'mp3' ? undefined : named;
  throw usageError(`-o ends in .${named}, and --format says ${format}. Make them the same.`);
}

/** `voxbatch lip-sync VIDEO AUDIO`: makes the mouth of a video move to an audio track, and hands out the video. */
export async function lipSync(video: string, audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const { api = {}, force = false } = flags;
  return runSingle({
    job: lipSyncJob({ video, audio }, { api }),
    flags,
    context,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveMedia(record, target, { force }, place),
  });
}

/** `voxbatch transcribe AUDIO`: prints what is said in a recording, or writes it to a file. */
export async function transcribe(audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const { out, language, api = {}, force = false } = flags;
  const target: Target = out === undefined ? { type: 'stdout' } : await readTarget(flags);
  checkForm(target);
  return runSingle({
    job: transcribeJob(audio, { language, api }),
    flags,
    context,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveText(record, target, { force }, place),
  });
}

/**
 * Reads a text from standard input: UTF-8, at most 1 MB like a cell of a manifest. Line breaks at its end are no part
 * of it, as in `$(…)` of a shell. Nothing at all is an error: what should have written it has failed. Throws
 * {@link ExitError} `usage`.
 */
export async function readText(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_CELL_BYTES)
      throw usageError('standard input: expected a text of at most 1 MB. Use a manifest of several rows.');
  }
  const text = trimEnd(decode(Buffer.concat(chunks)), '\r\n');
  if (text.trim() === '') throw usageError('standard input: expected a text, and it is empty.');
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError('standard input: expected a text in UTF-8.');
  }
}
