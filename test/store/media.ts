/** Bodies of every kind: those of the simulator, and some made by hand from the formats' definitions. */

import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  EncodedPacket,
  Input,
  MkvOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import { avcDecoderConfiguration, encodePicture } from '../../simulator/media/encode-h264.ts';
import { encodeWav } from '../../simulator/media/encode-wav.ts';
import { muxVideo } from '../../simulator/media/mux-video.ts';
import { renderAudio } from '../../simulator/media/render-audio.ts';

/** 16-bit mono at 16 kHz, with a sound. */
export function wav(seconds = 0.1): Buffer {
  return renderAudio('wav', 'melody', seconds);
}

/** A WAV file of any format around this data. */
export function wavOf(data: Buffer, { coding = 1, bits = 16, channels = 1, size = data.length } = {}): Buffer {
  const header = encodeWav([], 0);
  header.writeUInt32LE(Math.min(36 + size, 0xffffffff), 4);
  header.writeUInt16LE(coding, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt16LE((channels * bits) / 8, 32);
  header.writeUInt16LE(bits, 34);
  header.writeUInt32LE(size, 40);
  return Buffer.concat([header, data]);
}

export function box(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length, 0);
  header.write(name, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** The first bytes of an MP4 file of a brand. */
export function ftyp(brand = 'isom'): Buffer {
  return box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`, 'latin1'));
}

/** A talking picture as lip-sync gives it: index first, then its content. */
export function mp4(seconds = 2): Promise<Buffer> {
  return muxVideo(mp3(Math.round(seconds / 0.024)), seconds);
}

/** MPEG-1 layer III with a sound: frames of 96 bytes and 24 ms. */
export function mp3(frames = 20): Buffer {
  return renderAudio('mp3', 'melody', frames * 0.024);
}

/** The same with a first frame that says how long the file is. */
export function mp3WithXing(frames = 20): Buffer {
  const sound = mp3(frames);
  const first = Buffer.alloc(96);
  mp3(1).copy(first, 0, 0, 4);
  first.write('Xing', 21, 'latin1');
  first.writeUInt32BE(3, 25);
  first.writeUInt32BE(frames, 29);
  first.writeUInt32BE(first.length + sound.length, 33);
  return Buffer.concat([first, sound]);
}

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo, as encoders write silence: frames of 417 bytes without any data. */
export function silentMp3(frames = 20): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9000, 0);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

export function id3(content: Buffer, size = 50): Buffer {
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, size]), Buffer.alloc(size), content]);
}

/** An ADTS stream of frames with so many bytes of content; 16 kHz, mono. */
export function adts(frames = 5, content = 20): Buffer {
  const size = 7 + content;
  const header = [0xff, 0xf1, 0x60, 0x40 | (size >> 11), (size >> 3) & 0xff, ((size & 7) << 5) | 0x1f, 0xfc];
  const frame = Buffer.concat([Buffer.from(header), Buffer.alloc(content, 0x55)]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** What a {@link mux} is made of. */
interface Muxed {
  readonly seconds?: number;
  readonly picture?: boolean;
  readonly sound?: boolean;
}

/** Two pictures a second beside a sound, in any container. */
async function mux(format: OutputFormat, { seconds = 3, picture = true, sound = true }: Muxed): Promise<Buffer> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(mp3(Math.round(seconds / 0.024))) });
  const track = await input.getPrimaryAudioTrack();
  const audioConfig = await track?.getDecoderConfig();
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const pictures = new EncodedVideoPacketSource('avc');
  const sounds = new EncodedAudioPacketSource('mp3');
  if (picture) output.addVideoTrack(pictures, { frameRate: 2 });
  if (sound) output.addAudioTrack(sounds);
  await output.start();
  for (let index = 0; picture && index < seconds * 2; index += 1) {
    const packet = new EncodedPacket(encodePicture(index, 80, 100, 150), 'key', index / 2, 0.5);
    const description = avcDecoderConfiguration();
    const decoderConfig = { codec: 'avc1.42c00b', codedWidth: 64, codedHeight: 64, description };
    await pictures.add(packet, { decoderConfig });
  }
  if (picture) pictures.close();
  if (sound && track !== null && audioConfig != null) {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      await sounds.add(packet, { decoderConfig: audioConfig });
    }
  }
  await output.finalize();
  input.dispose();
  if (target.buffer === null) throw new Error('expected a file, but nothing was written');
  return Buffer.from(target.buffer);
}

/** An MP4 whose index stands at its end. */
export const mp4WithIndexLast = (made: Muxed = {}): Promise<Buffer> =>
  mux(new Mp4OutputFormat({ fastStart: false }), made);

/** An MP4 of fragments, about a second each. */
export const fragmentedMp4 = (made: Muxed = {}): Promise<Buffer> =>
  mux(new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 1 }), made);

export const mkv = (made: Muxed = {}): Promise<Buffer> => mux(new MkvOutputFormat(), made);

/**
 * A Matroska file whose sound and picture are named, and nothing known in their place: mediabunny 1.61 looks for more for ever.
 * Small, as it is kept from the network.
 */
export async function hangingMkv(): Promise<Buffer> {
  const whole = await mkv({ seconds: 1, picture: false });
  const cluster = whole.indexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
  return Buffer.concat([whole.subarray(0, cluster), Buffer.alloc(whole.length - cluster)]);
}

/** Sound whose index of a few bytes names two thousand million packets, and that does not say how long it lasts. */
export async function hungryM4a(): Promise<Buffer> {
  const body = await mp4WithIndexLast({ seconds: 1, picture: false });
  const put = (name: string, offset: number, value: number): void => {
    body.writeUInt32BE(value, body.indexOf(name) + offset);
  };
  // Else its sound would be taken for an MP3 file.
  body.fill(0x55, body.indexOf('mdat') + 4, body.indexOf('moov') - 4);
  put('mvhd', 20, 0);
  put('tkhd', 24, 0);
  put('mdhd', 20, 0);
  put('stsz', 8, 1);
  put('stsz', 12, 0x7fff_ffff);
  put('stsc', 16, 0x7fff_ffff);
  put('stts', 12, 0x7fff_ffff);
  return body;
}

/** An MP4 file of 32 bytes, one of whose boxes has a 64-bit length of 0: who goes on by it never gets on. */
export const standingMp4 = (): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0')),
    Buffer.from([0, 0, 0, 1]),
    Buffer.from('free'),
    Buffer.alloc(8),
  ]);

/** The first bytes of a WebM or Matroska file. */
export const ebml = (documentType: string): Buffer =>
  Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84]), Buffer.from(documentType)]);
