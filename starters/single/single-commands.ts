import { sayJob, lipSyncJob, transcribeJob } from '../../client/single/build-single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { verifyCell } from '../run/run-options.ts';
import { usageError } from '../exit-error.ts';
import { checkTranscriptFormat, deliverMedia, deliverText } from './deliver.ts';
import { runSingle } from './run-single.ts';
import { checkTarget, extensionOf, readTarget, checkStdout, type Target } from './target.ts';
import type { Readable } from 'node:stream';
import { trimEnd } from '../../contract/trim-end.ts';
import { MAX_CELL_BYTES } from '../../contract/api-limits.ts';

/** `voxbatch say TEXT`: speaks a text and delivers the file. The same text with the same settings is the same job. */
export async function say(textOrDash: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const readsStdin = textOrDash === '-';
  const text = readsStdin ? await readText(process.stdin) : textOrDash;
  const { voice, engine, speed, language, verify, tts = 'job', split, api = {}, force = false } = flags;
  const format = formatOf(flags, target);
  const options = { voice, engine, format, speed, language, verify: verifyCell(verify), tts, api };
  return runSingle({
    job: { ...sayJob(text, options), ...defined({ split }) },
    flags,
    context,
    readsStdin,
    prepare: () => checkTarget(target, flags),
    deliver: (record, delivery) => deliverMedia(record, target, { force }, delivery),
  });
}

/** Formats whose name is the extension of their files. */
const FORMATS = ['mp3', 'wav', 'pcm', 'ogg', 'opus', 'flac', 'aac', 'm4a'];

/**
 * Returns the format of `--format`, else the extension of `-o`; undefined for the API's default, so that the same text
 * with and without `-o` is one job. Throws {@link ExitError} `usage` if the two differ.
 */
function formatOf({ format }: Flags, target: Target): string | undefined {
  const extension = extensionOf(target);
  if (!FORMATS.includes(extension) || extension === format) return format;
  if (format === undefined) return extension === 'mp3' ? undefined : extension;
  throw usageError(`-o ends in .${extension}, and --format says ${format}. Make them the same.`);
}

/** `voxbatch lip-sync VIDEO AUDIO`: makes the mouth of a video move to an audio track, and delivers the video. */
export async function lipSync(video: string, audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const { api = {}, force = false } = flags;
  return runSingle({
    job: lipSyncJob({ video, audio }, { api }),
    flags,
    context,
    prepare: () => checkTarget(target, flags),
    deliver: (record, delivery) => deliverMedia(record, target, { force }, delivery),
  });
}

/** `voxbatch transcribe AUDIO`: prints what is said in a recording, or writes it to a file. */
export async function transcribe(audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const { out, language, api = {}, force = false } = flags;
  const target: Target = out === undefined ? { type: 'stdout' } : await readTarget(flags);
  checkTranscriptFormat(target);
  return runSingle({
    job: transcribeJob(audio, { language, api }),
    flags,
    context,
    prepare: () => checkTarget(target, flags),
    deliver: (record, delivery) => deliverText(record, target, { force }, delivery),
  });
}

/**
 * Reads a text from standard input: UTF-8, at most 1 MB like a cell of a manifest. Removes line breaks at its end, as
 * `$(…)` in a shell does. Throws {@link ExitError} `usage`, also for an empty input, since its writer has likely
 * failed.
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
