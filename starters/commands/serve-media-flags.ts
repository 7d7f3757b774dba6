import {
  isLinkBase,
  isListenAddress,
  SERVE_MEDIA_FORM,
  SERVE_MEDIA_URL_FORM,
  type ServeMedia,
  type ServeMediaSettings,
} from '../../contract/serve-media.ts';
import { defined } from '../../contract/defined.ts';
import { formatListenAddress } from '../../contract/listen-address.ts';
import type { Settings } from '../../client/settings.ts';
import { usageError } from '../exit-error.ts';

/** Both, as flags and as environment variables. */
const SOURCES = {
  serveMedia: {
    flag: '--serve-media',
    variable: 'VOXBATCH_SERVE_MEDIA',
    isGood: isListenAddress,
    form: SERVE_MEDIA_FORM,
  },
  serveMediaUrl: {
    flag: '--serve-media-url',
    variable: 'VOXBATCH_SERVE_MEDIA_URL',
    isGood: isLinkBase,
    form: SERVE_MEDIA_URL_FORM,
  },
} as const;

/**
 * The settings with what flags say about local media, else the environment, else the configuration. An empty variable
 * counts as not set. Throws {@link ExitError} `usage`.
 */
export function withServeMedia<Given extends Pick<Settings, 'config' | 'env'>>(
  settings: Given,
  flags: ServeMediaSettings,
): Given {
  const { config, env } = settings;
  const fromEnvironment = {
    serveMedia: env['VOXBATCH_SERVE_MEDIA'],
    serveMediaUrl: env['VOXBATCH_SERVE_MEDIA_URL'],
  };
  const said = (name: keyof typeof SOURCES): string | undefined => {
    const { flag, variable, isGood, form } = SOURCES[name];
    const value = flags[name] ?? (fromEnvironment[name] || undefined);
    if (value === undefined || isGood(value)) return value ?? config[name];
    throw usageError(`${flags[name] === undefined ? variable : flag}: expected ${form}.`);
  };
  const serveMedia = said('serveMedia');
  const serveMediaUrl = said('serveMediaUrl');
  if (serveMedia === undefined && flags.serveMediaUrl !== undefined)
    throw usageError(`${SOURCES.serveMediaUrl.flag} needs ${SOURCES.serveMedia.flag}.`);
  return { ...settings, config: { ...config, ...defined({ serveMedia, serveMediaUrl }) } };
}

/** Where media are served, as command-line words. */
export function serveMediaWords(place: ServeMedia | undefined): readonly string[] {
  if (place === undefined) return [];
  return [SOURCES.serveMedia.flag, formatListenAddress(place), SOURCES.serveMediaUrl.flag, place.url];
}
