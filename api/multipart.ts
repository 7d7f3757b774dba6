import { Readable } from 'node:stream';
import { FormDataEncoder } from 'form-data-encoder';
import type { JsonValue, LocalFile } from '../contract/row-kinds.ts';
import type { FileContent, OpenFile } from './speech-api.ts';

/** A request body that is streamed from disk. */
export interface UploadBody {
  readonly contentType: string;
  readonly bytes: number;
  /** The body from its first byte, once. It breaks where a file turns out to have changed. */
  stream(): Readable;
  /** Releases the files. Call it when the request is over. */
  close(): Promise<void>;
}

/** Media types by file extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
};

/** The files of a form, and how each is opened. */
interface FilePart {
  /** The name of the part of each file. */
  readonly part: string;
  readonly files: readonly LocalFile[];
  readonly open: OpenFile;
}

/**
 * Opens files for a form (`multipart/form-data`) with these fields. Texts are sent verbatim, other values as JSON.
 * Throws before sending anything if a file is missing or has changed. A file that fails while being sent breaks off the
 * form, and the API refuses a form without its end.
 */
export async function openForm(
  fields: Readonly<Record<string, JsonValue>>,
  { part, files, open }: FilePart,
): Promise<UploadBody> {
  const opened: FileContent[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  };
  try {
    const entries: Entry[] = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    for (const [at, file] of files.entries()) {
      const content = await open(file);
      opened.push(content);
      entries.push([part, partOf(content, file, at + 1)]);
    }
    const encoder = new FormDataEncoder(formOf(entries));
    const { contentType, contentLength } = encoder;
    return { contentType, bytes: Number(contentLength), stream: () => Readable.from(encoder.encode()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A part of a form: its name, and a text or a file. */
type Entry = [name: string, value: string | ReturnType<typeof partOf>];

/** The file name reveals the content type, but nothing about this machine. */
function partOf(content: FileContent, { extension, bytes }: LocalFile, number: number) {
  return {
    name: `sample-${String(number)}.${extension}`,
    type: MEDIA_TYPES[extension] ?? 'application/octet-stream',
    size: bytes,
    lastModified: 0,
    stream: () => content.read(),
    [Symbol.toStringTag]: 'File',
  };
}

/** The part of `FormData` that the encoder reads. Node's own does not support streamed files. */
function formOf(entries: readonly Entry[]): ConstructorParameters<typeof FormDataEncoder>[0] {
  const iterate = (): IterableIterator<Entry> => entries.values();
  return {
    append: () => undefined,
    getAll: (name) => entries.flatMap(([one, value]) => (one === name ? [value] : [])),
    entries: iterate,
    [Symbol.iterator]: iterate,
    [Symbol.toStringTag]: 'FormData',
  };
}
