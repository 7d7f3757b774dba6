/** Small bodies of every kind, made by hand from the formats' definitions. */

export function wav(seconds = 0.1): Buffer {
  const data = Buffer.alloc(Math.round(seconds * 8000) * 2, 7);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(16000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

export function box(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length, 0);
  header.write(name, 4, 'latin1');
  return Buffer.concat([header, content]);
}

export function mp4(brand = 'isom'): Buffer {
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`, 'latin1')),
    box('moov', Buffer.alloc(100)),
    box('mdat', Buffer.alloc(5000, 3)),
  ]);
}

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo: frames of 417 bytes. */
export function mp3(frames = 20): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9000, 0);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** The same with a first frame that says how long the file is. */
export function mp3WithXing(frames = 20): Buffer {
  const body = mp3(frames);
  body.write('Xing', 36, 'latin1');
  body.writeUInt32BE(3, 40);
  body.writeUInt32BE(frames, 44);
  body.writeUInt32BE(body.length, 48);
  return body;
}

export function id3(content: Buffer, size = 50): Buffer {
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, size]), Buffer.alloc(size), content]);
}

export const ebml = (documentType: string): Buffer =>
  Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84]), Buffer.from(documentType)]);
