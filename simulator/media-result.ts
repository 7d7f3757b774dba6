import type { Operation } from '../contract/row-kinds.ts';
import { hashOf } from './draw.ts';
import { speechSeconds } from './media/melody.ts';
import { muxVideo } from './media/mux-video.ts';
import { type AudioFormat, renderAudio } from './media/render-audio.ts';
import { Refusal } from './refusals.ts';
import type { SignedLinks } from './signed-links.ts';

/** Media behind a link of the simulator. Rendered only when fetched. */
export interface MediaResult {
  /** Name in its link: id and extension. */
  readonly file: string;
  readonly format: AudioFormat | 'mp4';
  /** Operation and texts that the rules of a fault plan match. */
  readonly operation: Operation;
  readonly subject: string;
  readonly sound: Sound;
}

/** What an audio file says, and how it sounds. */
export interface Sound {
  readonly text: string;
  /** Chooses the melody. */
  readonly key: string;
  readonly seconds: number;
  /** Format inside a video; headerless PCM is put into a WAV first. */
  readonly format: 'mp3' | 'wav';
  /** When the link expires, in ms since 1970; null for never. */
  readonly expires: number | null;
  /** True if a voice of the service spoke it; its transcript is then in recogniser style. */
  readonly isSpoken?: boolean;
  /** True if it is digital silence. */
  readonly isSilent?: boolean;
  /** True if a voice other than the requested one speaks it. */
  readonly isByAnother?: boolean;
}

const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm', mp4: 'video/mp4' } as const;

/** Returns the media type of a file, for the header of its download. */
export function contentTypeOf(format: MediaResult['format']): string {
  return CONTENT_TYPES[format];
}

/** Returns the speech of a text by a voice. */
export function speechOf(text: string, voiceId: string, format: AudioFormat): Sound {
  const key = `${voiceId} ${text}`;
  return { text, key, seconds: speechSeconds(text), format: format === 'mp3' ? 'mp3' : 'wav', expires: null };
}

/** Renders a result. A video carries its sound unchanged. */
export async function renderMedia(format: MediaResult['format'], sound: Sound): Promise<Buffer> {
  const render = (as: AudioFormat): Buffer =>
    renderAudio(as, sound.isSilent === true ? null : sound.key, sound.seconds);
  return format === 'mp4' ? muxVideo(render(sound.format), sound.seconds) : render(format);
}

/** Returns a sample input of the media origin, by file name: `face.mp4`, `voice-<n>.mp3`, `voice-<n>.wav`. */
export function sampleOf(file: string): { readonly format: 'mp3' | 'wav' | 'mp4'; readonly sound: Sound } | null {
  if (file === 'face.mp4') {
    const sound = { text: 'A face that listens.', key: file, seconds: 3, format: 'mp3', expires: null } as const;
    return { format: 'mp4', sound };
  }
  const match = /^voice-(\d{1,6})\.(mp3|wav)$/.exec(file);
  if (match === null) return null;
  const text = `This is sample voice number ${match[1] ?? ''}, and it reads one short sentence.`;
  const format = match[2] === 'wav' ? 'wav' : 'mp3';
  return { format, sound: speechOf(text, 'sample', format) };
}

/** The simulator's own media, by their links. */
export interface OwnMedia {
  readonly links: SignedLinks;
  find(file: string): MediaResult | undefined;
}

/**
 * Returns the audio at a URL. Links to the simulator's own media are looked up. Other hosts are not contacted: the
 * length is `seconds` in the query, or else derived from the URL, and the text consists of the URL's words. Throws a
 * 400 for a link of our own that does not exist.
 */
export function soundOf(url: string, own: OwnMedia): Sound {
  const { origin, pathname, searchParams } = new URL(url);
  const asked = Number(searchParams.get('seconds') ?? Number.NaN);
  const seconds = asked > 0 && asked <= 36_000 ? asked : null;
  const sound = origin === own.links.origin ? ownSound(pathname, searchParams, own) : foreignSound(url, pathname);
  return seconds === null ? sound : { ...sound, seconds };
}

function ownSound(pathname: string, query: URLSearchParams, own: OwnMedia): Sound {
  const file = pathname.slice(pathname.lastIndexOf('/') + 1);
  const sample = pathname.startsWith('/samples/') ? sampleOf(file) : null;
  if (sample !== null) return sample.sound;
  const result = own.find(file);
  const expires = result === undefined ? null : own.links.expiryOf(file, query);
  if (result === undefined || expires === null) {
    throw new Refusal(400, 'ERR_INVALID_MEDIA_URL', 'The media URL cannot be fetched');
  }
  return { ...result.sound, isSpoken: true, expires };
}

function foreignSound(url: string, pathname: string): Sound {
  const words = decodeLoosely(pathname).match(/\p{L}+/gu) ?? ['silence'];
  return { text: words.join(' '), key: url, seconds: 2 + (hashOf(url) % 180) / 10, format: 'mp3', expires: null };
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
