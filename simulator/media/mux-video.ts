import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { avcDecoderConfiguration, encodePicture, PICTURE_SIZE } from './encode-h264.ts';

const PICTURES_PER_SECOND = 2;

/** Puts the packets of an audio file, unchanged, into an MP4 beside a picture that slowly changes colour. */
export async function muxVideo(audio: Buffer, seconds: number): Promise<Buffer> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(audio) });
  try {
    const track = await input.getPrimaryAudioTrack();
    const codec = await track?.getCodec();
    const audioConfig = await track?.getDecoderConfig();
    if (track == null || codec == null || audioConfig == null)
      throw new Error('the audio to put into the video has no track');
    const target = new BufferTarget();
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
    const video = new EncodedVideoPacketSource('avc');
    const sound = new EncodedAudioPacketSource(codec);
    output.addVideoTrack(video, { frameRate: PICTURES_PER_SECOND });
    output.addAudioTrack(sound);
    await output.start();
    await addPictures(video, seconds);
    for await (const packet of new EncodedPacketSink(track).packets()) {
      await sound.add(packet, { decoderConfig: audioConfig });
    }
    await output.finalize();
    if (target.buffer === null) throw new Error('the video was not written');
    return Buffer.from(target.buffer);
  } finally {
    input.dispose();
  }
}

async function addPictures(video: EncodedVideoPacketSource, seconds: number): Promise<void> {
  const decoderConfig = {
    codec: 'avc1.42c00b',
    codedWidth: PICTURE_SIZE,
    codedHeight: PICTURE_SIZE,
    description: avcDecoderConfiguration(),
  };
  const count = Math.max(1, Math.ceil(seconds * PICTURES_PER_SECOND));
  for (let index = 0; index < count; index++) {
    const start = index / PICTURES_PER_SECOND;
    const length = Math.min(1 / PICTURES_PER_SECOND, Math.max(seconds - start, 0.01));
    const picture = encodePicture(index, 80 + (index % 16) * 8, 100 + (index % 7) * 8, 150 - (index % 5) * 8);
    await video.add(new EncodedPacket(picture, 'key', start, length), { decoderConfig });
  }
}
