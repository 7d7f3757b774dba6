import type { Input } from 'mediabunny';
import type { FileWindow } from './file-window.ts';

/**
 * How much of a file the demuxer may keep in memory. Measured on 200 MB: 2 s and 90 MB in all; 8 times as much is no
 * faster.
 */
const CACHE_BYTES = 1024 * 1024;

/** A file at a demuxer. */
export interface Demuxed {
  /** Dispose it in the end. */
  readonly input: Input;
  /** The error of the disk, if it had one: then the file may be whole. */
  readonly fault: () => unknown;
}

/** Gives a file to the demuxer, which reads of it what it is asked for. */
export async function demux(file: FileWindow): Promise<Demuxed> {
  let fault: unknown;
  // Loaded with the first such file: it takes 70 ms, too long for the start of a command.
  const { ALL_FORMATS, CustomSource, Input, Logging, LogLevel } = await import('mediabunny');
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
  return { input: new Input({ formats: ALL_FORMATS, source }), fault: () => fault };
}
