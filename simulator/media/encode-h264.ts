import { BitWriter } from './bit-writer.ts';

/**
 * A writer of H.264 pictures that needs no encoder: constrained baseline, every picture an IDR slice of I_PCM
 * macroblocks, which carry their samples as they are (ITU-T H.264, 7.3). One flat colour per picture.
 */

/** Width and height of the picture in pixels: four macroblocks square. */
export const PICTURE_SIZE = 64;
const MACROBLOCKS = PICTURE_SIZE / 16;

/** Sequence parameters: profile 66, level 1.1, one reference frame, no reordering (picture order type 2). */
function sequenceParameters(): Buffer {
  const bits = new BitWriter().bits(0x67, 8).bits(66, 8).bits(0xc0, 8).bits(11, 8);
  bits.ue(0).ue(0).ue(2).ue(1).bits(0, 1);
  bits.ue(MACROBLOCKS - 1).ue(MACROBLOCKS - 1);
  // Frames only, direct 8x8 inference, no cropping, no VUI; then the stop bit.
  return bits.bits(1, 1).bits(1, 1).bits(0, 1).bits(0, 1).bits(1, 1).toBuffer();
}

/** Picture parameters: CAVLC, one slice group, no weighting, quantiser 26, deblocking can be switched off. */
function pictureParameters(): Buffer {
  const bits = new BitWriter().bits(0x68, 8).ue(0).ue(0).bits(0, 1).bits(0, 1).ue(0).ue(0).ue(0);
  // Weighted prediction; three quantiser offsets of 0; deblocking control; the two last flags; the stop bit.
  return bits.bits(0, 3).ue(0).ue(0).ue(0).bits(1, 1).bits(0, 2).bits(1, 1).toBuffer();
}

/** The decoder configuration of an `avc1` track (ISO/IEC 14496-15, 5.3.3.1). */
export function avcDecoderConfiguration(): Buffer {
  const sps = sequenceParameters();
  const pps = pictureParameters();
  return Buffer.concat([
    Buffer.from([1, 66, 0xc0, 11, 0xff, 0xe1, 0, sps.length]),
    sps,
    Buffer.from([1, 0, pps.length]),
    pps,
  ]);
}

/**
 * One picture with its length in front, as MP4 stores it. Samples stay between 16 and 235, so that no start code
 * can appear in them. Neighbouring IDR pictures must differ in `idr_pic_id`, hence the index.
 */
export function encodePicture(index: number, luma: number, cb: number, cr: number): Buffer {
  const bits = new BitWriter().bits(0x65, 8);
  // First macroblock 0, slice type I, parameter set 0, frame number 0, IDR id; not long-term; quantiser; no deblocking.
  bits
    .ue(0)
    .ue(7)
    .ue(0)
    .bits(0, 4)
    .ue(index % 2)
    .bits(0, 2)
    .ue(0)
    .ue(1);
  const samples = Buffer.concat([Buffer.alloc(256, luma), Buffer.alloc(64, cb), Buffer.alloc(64, cr)]);
  const parts: Buffer[] = [];
  for (let macroblock = 0; macroblock < MACROBLOCKS * MACROBLOCKS; macroblock++) {
    const head = macroblock === 0 ? bits : new BitWriter();
    parts.push(head.ue(25).align().toBuffer(), samples);
  }
  const unit = Buffer.concat([...parts, Buffer.from([0x80])]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(unit.length);
  return Buffer.concat([length, unit]);
}
