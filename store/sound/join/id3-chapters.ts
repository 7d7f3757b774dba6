import type { Chapter } from './join-request.ts';

/** A table of contents counts its entries in a byte. */
const MOST_ENTRIES = 255;
/** "No offset is given": the times count. */
const NO_OFFSET = 0xffff_ffff;

/**
 * Chapters as players read them in an MP3 file: a tag with a `CHAP` frame for each, and their order in `CTOC` (ID3v2
 * Chapter Frame Addendum 1.0). Version 2.3, which the most players know. Empty without chapters.
 */
export function id3Chapters(chapters: readonly Chapter[]): Buffer {
  if (chapters.length === 0) return Buffer.alloc(0);
  const names = chapters.map((_, at) => `chp${at}`);
  const groups = Array.from({ length: Math.ceil(names.length / MOST_ENTRIES) }, (_, at) =>
    names.slice(at * MOST_ENTRIES, (at + 1) * MOST_ENTRIES),
  );
  const [only] = groups;
  const contents =
    groups.length === 1 && only !== undefined
      ? [contentsFrame('toc', only, true)]
      : [
          contentsFrame(
            'toc',
            groups.map((_, at) => `toc${at}`),
            true,
          ),
          ...groups.map((group, at) => contentsFrame(`toc${at}`, group, false)),
        ];
  const frames = Buffer.concat([...contents, ...chapters.map((chapter, at) => chapterFrame(`chp${at}`, chapter))]);
  const header = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1');
  // Four times seven bits.
  for (let at = 0; at < 4; at += 1) header.writeUInt8((frames.length >> (21 - at * 7)) & 0x7f, 6 + at);
  return Buffer.concat([header, frames]);
}

/** A table of contents, in order. */
function contentsFrame(name: string, entries: readonly string[], isTop: boolean): Buffer {
  const flags = Buffer.from([isTop ? 3 : 1, entries.length]);
  return id3Frame('CTOC', Buffer.concat([text(name), flags, ...entries.map(text)]));
}

function chapterFrame(name: string, { title, startMs, endMs }: Chapter): Buffer {
  const times = Buffer.alloc(16);
  times.writeUInt32BE(startMs, 0);
  times.writeUInt32BE(endMs, 4);
  times.writeUInt32BE(NO_OFFSET, 8);
  times.writeUInt32BE(NO_OFFSET, 12);
  // UTF-16 with its byte order mark, the only Unicode of this version.
  const words = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(`${title}\0`, 'utf16le')]);
  return id3Frame('CHAP', Buffer.concat([text(name), times, id3Frame('TIT2', words)]));
}

function id3Frame(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header.write(name, 0, 'latin1');
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

function text(words: string): Buffer {
  return Buffer.from(`${words}\0`, 'latin1');
}
