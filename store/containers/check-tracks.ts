import type { EncodedPacket, EncodedPacketSink, Input, InputTrack } from 'mediabunny';
import { incomplete, CompleteButUnfit, type Container, UnfitBody } from '../unfit.ts';

/** Max excess of the stated duration over the content, in seconds, … */
const SLACK_SECONDS = 0.5;
/** … or as a share of its duration. */
const SLACK_PART = 0.02;
/**
 * The demuxer's cache limit. Measured on a 200 MB file: 2 s and 90 MB in total; a cache 8 times larger is no faster.
 */
const CACHE_BYTES = 1024 * 1024;

/**
 * Reads every packet that a file's index names. Throws `UnfitBody` if one lies outside the file, or the content is
 * shorter than the stated duration; `CompleteButUnfit` if picture or sound is missing or has no length. It needs no
 * decoder, so it cannot detect silence. Returns the duration of its longest track in seconds; undefined for Ogg with an
 * unknown codec.
 */
export async function checkTracks(container: Container): Promise<number | undefined> {
  const { file, family, extension } = container;
  let fault: unknown;
  // Loaded lazily: it takes 70 ms, too long for a command's start-up.
  const { ALL_FORMATS, CustomSource, EncodedPacketSink, Input, Logging, LogLevel } = await import('mediabunny');
  Logging.level = LogLevel.Silent;
  const source = new CustomSource({
    getSize: () => file.bytes,
    read: async (start, end) => {
      try {
        return new Uint8Array(await file.read(start, end - start));
      } catch (error) {
        fault = error;
        throw error;
      }
    },
    maxCacheSize: CACHE_BYTES,
  });
  const input = new Input({ formats: ALL_FORMATS, source });
  try {
    const longest = { audio: 0, video: 0 };
    // A still picture has a timestamp but no duration.
    let hasPicture = false;
    const tracks = await input.getTracks();
    // A codec that the library does not know.
    if (extension === 'ogg' && tracks.length === 0) return undefined;
    for (const track of tracks) {
      const { type } = track;
      if (type !== 'audio' && type !== 'video') continue;
      const { packets, seconds } = await checkTrack(container, track, new EncodedPacketSink(track));
      longest[type] = Math.max(longest[type], seconds);
      hasPicture ||= type === 'video' && packets > 0;
    }
    const seconds = Math.max(longest.audio, longest.video);
    const declared = await checkDuration(container, input, seconds);
    if (family === 'video' && !hasPicture) throw new CompleteButUnfit('without a picture', seconds);
    if (longest.audio === 0) throw new CompleteButUnfit('without sound', seconds);
    // An apparent FLAC frame header may be audio data, so the declared duration wins.
    return extension === 'flac' && declared > 0 ? declared : seconds;
  } catch (error) {
    // The disk failed, not the file.
    if (fault !== undefined) throw fault as Error;
    if (error instanceof UnfitBody || error instanceof CompleteButUnfit) throw error;
    throw incomplete(container, `it cannot be read (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    input.dispose();
  }
}

/** Reads a track to its end. Throws `UnfitBody` if packets are missing. */
async function checkTrack(container: Container, track: InputTrack, sink: EncodedPacketSink): Promise<Walked> {
  // Metadata alone lists every packet that the index names; with data, the walk stops at the first missing one.
  const named = await walk(container.file.bytes, sink.packets(undefined, undefined, { metadataOnly: true }));
  const there = await walk(container.file.bytes, sink.packets());
  if (there.packets < named.packets) {
    const what = track.type === 'audio' ? 'sound' : 'picture';
    throw incomplete(container, `its ${what} has ${named.packets} pieces, and only ${there.packets} are there`);
  }
  if (there.isBeyond) throw incomplete(container, `its index names more than its ${container.file.bytes} bytes`);
  return there;
}

/** Result of reading the packets of a track. */
interface Walked {
  readonly packets: number;
  /** When the last packet ends. */
  readonly seconds: number;
  /** The index names more than the file can hold; the walk stopped there. */
  readonly isBeyond: boolean;
}

/** Stops when the index names more than the file can hold: a few of its bytes may stand for millions of packets. */
async function walk(maxBytes: number, packets: AsyncIterable<EncodedPacket>): Promise<Walked> {
  const walked = { packets: 0, seconds: 0, isBeyond: false };
  let bytes = 0;
  for await (const { timestamp, duration, byteLength } of packets) {
    walked.packets += 1;
    // Even an empty packet takes space in the index.
    bytes += Math.max(1, byteLength);
    if (bytes > maxBytes) return { ...walked, isBeyond: true };
    walked.seconds = Math.max(walked.seconds, timestamp + duration);
  }
  return walked;
}

/** Returns the stated duration in seconds, or 0. Throws `UnfitBody` if the content is clearly shorter. */
async function checkDuration(container: Container, input: Input, seconds: number): Promise<number> {
  const declared = (await input.getDurationFromMetadata()) ?? 0;
  if (declared - seconds > Math.max(SLACK_SECONDS, declared * SLACK_PART)) {
    throw incomplete(
      container,
      `it says that it lasts ${declared.toFixed(1)} s, and only ${seconds.toFixed(1)} s are there`,
    );
  }
  return declared;
}
