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

/** The two settings of local media: their flags, environment variables and forms. */
const SOURCES = {
  serveMedia: {
    flag: '--serve-media',
    variable: 'VOXBATCH_SERVE_MEDIA',
    isValid: isListenAddress,
    form: SERVE_MEDIA_FORM,
  },
  serveMediaUrl: {
    flag: '--serve-media-url',
    variable: 'VOXBATCH_SERVE_MEDIA_URL',
    isValid: isLinkBase,
    form: SERVE_MEDIA_URL_FORM,
  },
} as const;

/**
 * Returns the settings with where local media are served: by the flags, else the environment, else the config file. An
 * empty variable counts as not set. Throws {@link ExitError} `usage`.
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
  const chosen = (name: keyof typeof SOURCES): string | undefined => {
    const { flag, variable, isValid, form } = SOURCES[name];
    const value = flags[name] ?? (fromEnvironment[name] || undefined);
    if (value === undefined || isValid(value)) return value ?? config[name];
    throw usageError(`${flags[name] === undefined ? variable : flag}: expected ${form}.`);
  };
  const serveMedia = chosen('serveMedia');
  const serveMediaUrl = chosen('serveMediaUrl');
  if (serveMedia === undefined && flags.serveMediaUrl !== undefined)
    throw usageError(`${SOURCES.serveMediaUrl.flag} needs ${SOURCES.serveMedia.flag}.`);
  return { ...settings, config: { ...config, ...defined({ serveMedia, serveMediaUrl }) } };
}

/** Returns the flags that make another command serve media at the same place. */
export function serveMediaWords(place: ServeMedia | undefined): readonly string[] {
  if (place === undefined) return [];
  return [SOURCES.serveMedia.flag, formatListenAddress(place), SOURCES.serveMediaUrl.flag, place.url];
}
